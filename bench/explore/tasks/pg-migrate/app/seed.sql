create table orders (id serial primary key, item text not null, price numeric(8, 2));
insert into orders (item, price) values ('lamp', 20.00), ('desk', 150.50), ('chair', 75.25);
create table migrations (id serial primary key, name text);
create schema v2;
