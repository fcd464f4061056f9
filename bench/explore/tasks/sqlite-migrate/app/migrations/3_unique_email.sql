insert into schema_version (name) values ('unique email');
create unique index customers_email on customers (email);
