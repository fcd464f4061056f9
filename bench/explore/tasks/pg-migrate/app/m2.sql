begin;
insert into migrations (name) values ('totals');
create table totals as select count(*) as orders, sum(cents) as cents from orders;
commit;
