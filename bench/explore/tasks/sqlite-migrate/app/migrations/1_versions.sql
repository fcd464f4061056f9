begin;
create table schema_version (id integer primary key autoincrement, name text);
insert into schema_version (name) values ('versions');
commit;
