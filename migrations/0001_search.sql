-- Words of vulnerabilities. A rejected one is found by its id only; a trigger writes only when a searched column really changes.
create virtual table vulns_fts using fts5(cveid, summary, keywords, content='vulns', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
create trigger vulns_fts_insert after insert on vulns when new.state <> 'rejected' begin
  insert into vulns_fts(rowid, cveid, summary, keywords) values (new.id, new.cveid, new.summary, new.keywords);
end;
--> statement-breakpoint
create trigger vulns_fts_delete after delete on vulns when old.state <> 'rejected' begin
  insert into vulns_fts(vulns_fts, rowid, cveid, summary, keywords) values ('delete', old.id, old.cveid, old.summary, old.keywords);
end;
--> statement-breakpoint
-- One trigger: of two, SQLite may run either first, and a removal after the insertion takes the words that both have.
create trigger vulns_fts_update after update of cveid, summary, keywords, state on vulns
when (old.state <> 'rejected') <> (new.state <> 'rejected') or old.cveid is not new.cveid or old.summary is not new.summary or old.keywords is not new.keywords begin
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
create virtual table bulletins_fts using fts5(publicid, vendor, title, content='bulletins', content_rowid='id', columnsize=0, tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
create trigger bulletins_fts_insert after insert on bulletins begin
  insert into bulletins_fts(rowid, publicid, vendor, title) values (new.id, new.publicid, new.vendor, new.title);
end;
--> statement-breakpoint
create trigger bulletins_fts_update after update of publicid, vendor, title on bulletins when old.publicid is not new.publicid or old.vendor is not new.vendor or old.title is not new.title begin
  insert into bulletins_fts(bulletins_fts, rowid, publicid, vendor, title) values ('delete', old.id, old.publicid, old.vendor, old.title);
  insert into bulletins_fts(rowid, publicid, vendor, title) values (new.id, new.publicid, new.vendor, new.title);
end;
--> statement-breakpoint
create trigger bulletins_fts_delete after delete on bulletins begin
  insert into bulletins_fts(bulletins_fts, rowid, publicid, vendor, title) values ('delete', old.id, old.publicid, old.vendor, old.title);
end;
--> statement-breakpoint
create virtual table exploits_fts using fts5(link, notes, content='exploits', content_rowid='id', columnsize=0, tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
create trigger exploits_fts_insert after insert on exploits begin
  insert into exploits_fts(rowid, link, notes) values (new.id, new.link, new.notes);
end;
--> statement-breakpoint
create trigger exploits_fts_update after update of link, notes on exploits when old.link is not new.link or old.notes is not new.notes begin
  insert into exploits_fts(exploits_fts, rowid, link, notes) values ('delete', old.id, old.link, old.notes);
  insert into exploits_fts(rowid, link, notes) values (new.id, new.link, new.notes);
end;
--> statement-breakpoint
create trigger exploits_fts_delete after delete on exploits begin
  insert into exploits_fts(exploits_fts, rowid, link, notes) values ('delete', old.id, old.link, old.notes);
end;
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
  ('vulns', 0), ('vulns_exploitable', 0), ('vulns_remote', 0), ('cves', 0), ('exploits', 0), ('threats', 0), ('kb_version', 0), ('alerts_planned_to', 0);
