-- Words of vulnerabilities that everybody sees. A rejected one is found by its id only, and none is ever deleted.
create virtual table vulns_fts using fts5(cveid, summary, keywords, content='vulns', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
create trigger vulns_fts_insert after insert on vulns when new.state <> 'rejected' and new.org_id is null begin
  insert into vulns_fts(rowid, cveid, summary, keywords) values (new.id, new.cveid, new.summary, new.keywords);
end;
--> statement-breakpoint
-- One trigger: of two, SQLite may run either first, and a removal after the insertion takes the words that both have.
create trigger vulns_fts_update after update of cveid, summary, keywords, state on vulns
when new.org_id is null and ((old.state <> 'rejected') <> (new.state <> 'rejected') or old.cveid is not new.cveid or old.summary is not new.summary or old.keywords is not new.keywords) begin
  insert into vulns_fts(vulns_fts, rowid, cveid, summary, keywords) select 'delete', old.id, old.cveid, old.summary, old.keywords where old.state <> 'rejected';
  insert into vulns_fts(rowid, cveid, summary, keywords) select new.id, new.cveid, new.summary, new.keywords where new.state <> 'rejected';
end;
--> statement-breakpoint
-- Names are found by any part of them. A name never changes, so there is nothing to update; nothing ranks by length.
create virtual table vendors_fts using fts5(name, content='vendors', content_rowid='id', columnsize=0, tokenize='trigram');
--> statement-breakpoint
create trigger vendors_fts_insert after insert on vendors begin
  insert into vendors_fts(rowid, name) values (new.id, new.name);
end;
--> statement-breakpoint
create virtual table products_fts using fts5(name, vendor, content='products', content_rowid='id', columnsize=0, tokenize='trigram');
--> statement-breakpoint
create trigger products_fts_insert after insert on products begin
  insert into products_fts(rowid, name, vendor) values (new.id, new.name, new.vendor);
end;
--> statement-breakpoint
create virtual table packages_fts using fts5(name, type, content='packages', content_rowid='id', columnsize=0, tokenize='trigram');
--> statement-breakpoint
create trigger packages_fts_insert after insert on packages begin
  insert into packages_fts(rowid, name, type) values (new.id, new.name, new.type);
end;
--> statement-breakpoint
-- Each is written by the one that writes its rows: feeds/csaf, the merge.
create virtual table bulletins_fts using fts5(publicid, vendor, title, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
create virtual table exploits_fts using fts5(link, notes, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
-- What organizations wrote for themselves, apart from what everybody searches; `owner` is 'org' and the organization's id.
create virtual table own_vulns_fts using fts5(owner, cveid, summary, keywords, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
create virtual table weaknesses_fts using fts5(name, description, content='weaknesses', content_rowid='id', columnsize=0, tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
create trigger weaknesses_fts_insert after insert on weaknesses begin
  insert into weaknesses_fts(rowid, name, description) values (new.id, new.name, new.description);
end;
--> statement-breakpoint
create trigger weaknesses_fts_update after update of name, description on weaknesses when old.name is not new.name or old.description is not new.description begin
  insert into weaknesses_fts(weaknesses_fts, rowid, name, description) values ('delete', old.id, old.name, old.description);
  insert into weaknesses_fts(rowid, name, description) values (new.id, new.name, new.description);
end;
--> statement-breakpoint
create trigger weaknesses_fts_delete after delete on weaknesses begin
  insert into weaknesses_fts(weaknesses_fts, rowid, name, description) values ('delete', old.id, old.name, old.description);
end;
--> statement-breakpoint
-- Each counter is written in the batch that changes what it counts.
insert into counters(name, value) values
  ('vulns', 0), ('vulns_exploitable', 0), ('vulns_remote', 0), ('cves', 0), ('exploits', 0), ('threats', 0), ('kb_version', 0), ('read_at_ms', 0), ('alerts_planned_to', 0);
