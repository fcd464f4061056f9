begin;
update orders set customer = (select min(c.id) from customers c
  where c.email = (select email from customers where id = orders.customer));
delete from customers where id not in (select min(id) from customers group by email);
insert into schema_version (name) values ('merge customers');
commit;
