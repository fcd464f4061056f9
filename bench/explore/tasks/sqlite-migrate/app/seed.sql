create table customers (id integer primary key, name text, email text);
create table orders (id integer primary key autoincrement, customer integer, price real);
insert into customers values (1, 'Ada', 'ada@example.com'), (2, 'Brook', 'brook@example.com'),
  (3, 'Cleo', 'cleo@example.com'), (4, 'Brook', 'brook@example.com'), (5, 'Dana', 'dana@example.com');
insert into orders (customer, price) values (1, 10.5), (4, 3.25), (2, 8.0), (5, 99.99), (3, 0.75);
