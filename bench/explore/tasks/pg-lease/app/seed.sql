create table jobs (id integer primary key, state text not null default 'ready', tag uuid, changed integer not null default 0);
insert into jobs (id) select generate_series(1, 9);
create function count_change() returns trigger language plpgsql as
  $$ begin new.changed := old.changed + 1; return new; end $$;
create trigger changed before update on jobs for each row execute function count_change();
