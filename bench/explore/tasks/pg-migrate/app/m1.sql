begin;
insert into migrations (name) values ('cents');
alter table orders add column cents bigint;
update orders set cents = price * 100;
alter table orders drop column price;
commit;
