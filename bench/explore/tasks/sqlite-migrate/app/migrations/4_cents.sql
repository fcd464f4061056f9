begin;
update orders set price = cast(round(price * 100) as integer);
insert into schema_version (name) values ('cents');
commit;
