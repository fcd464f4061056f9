create table accounts (name text primary key, balance integer);
create table audit (id integer primary key autoincrement, name text, difference integer);
create trigger audited after update on accounts
begin
  insert into audit (name, difference) values (new.name, new.balance - old.balance);
end;
insert into accounts values ('ops', 1000), ('payroll', 300), ('travel', 50);
