import { bulk } from '../../db/bulk'
import { pack } from '../../db/pack'
import type { Db } from '../../db/open'
import type { Bulletin } from './bulletin'

const upsertBulletins = `insert into bulletins(publicid, source, vendor, title, severity, impact, link, published, modified, hash, body)
  select value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, value->>9, unhex(value->>10)
  from jsonb_each(?1) where true on conflict(source, publicid) do update set vendor = excluded.vendor, title = excluded.title,
  severity = excluded.severity, impact = excluded.impact, link = excluded.link, published = excluded.published,
  modified = excluded.modified, hash = excluded.hash, body = excluded.body where excluded.hash <> bulletins.hash returning 1`
const hasOtherText = `select b.id from jsonb_each(?1) j join bulletins b on b.source = j.value->>1 and b.publicid = j.value->>0
  where (b.vendor, b.title) is not (j.value->>2, j.value->>3)`
const dropText = `delete from bulletins_fts where rowid in (${hasOtherText})`
const addText = `insert into bulletins_fts(rowid, publicid, vendor, title) select b.id, b.publicid, b.vendor, b.title
  from jsonb_each(?1) j join bulletins b on b.source = j.value->>1 and b.publicid = j.value->>0
  where not exists (select 1 from bulletins_fts f where f.rowid = b.id)`
const unlinkVulns = `delete from bulletin_vulns where (bulletin_id, cveid) in (
  select l.bulletin_id, l.cveid from jsonb_each(?1) j
  join bulletins b on b.source = j.value->>1 and b.publicid = j.value->>0
  join bulletin_vulns l on l.bulletin_id = b.id
  where l.cveid not in (select c.value from jsonb_each(j.value, '$[2]') c))`
const linkVulns = `insert into bulletin_vulns(bulletin_id, cveid) select b.id, c.value
  from jsonb_each(?1) j join bulletins b on b.source = j.value->>1 and b.publicid = j.value->>0 join jsonb_each(j.value, '$[2]') c
  where true on conflict do nothing`

const namedIds = `select b.id from jsonb_each(?1) j join bulletins b on b.source = j.value->>1 and b.publicid = j.value->>0`
const withdraw = [
  `delete from monitored_bulletins where bulletin_id in (${namedIds})`,
  `delete from bulletin_vulns where bulletin_id in (${namedIds})`,
  `delete from bulletins_fts where rowid in (${namedIds})`,
  `delete from bulletins where id in (${namedIds})`,
]
const countBulletins = `insert into counters(name, value) select 'bulletins', count(*) from bulletins
  where true on conflict(name) do update set value = excluded.value where excluded.value <> counters.value`

type Name = Pick<Bulletin, 'source' | 'publicid'>

/** Statements that store bulletins, each once, and take back others; an unchanged one writes nothing. */
export function bulletinStatements(db: Db, bulletins: Bulletin[], withdrawn: Name[]) {
  const latest = [...new Map(bulletins.map((one) => [`${one.source} ${one.publicid}`, one])).values()]
  const rows = latest.map((one) => [
    one.publicid,
    one.source,
    one.vendor,
    one.title,
    one.severity,
    one.impact,
    one.link,
    one.published,
    one.modified,
    one.hash,
    pack(one.body),
  ])
  const links = latest.map(({ publicid, source, cveids }) => [publicid, source, cveids])
  const gone = withdrawn.map(({ publicid, source }) => [publicid, source])
  return {
    // The texts that change leave the index first: the upsert overwrites what tells which they are.
    listed: [...bulk(db, dropText, rows), ...bulk(db, upsertBulletins, rows)],
    more: [
      ...bulk(db, addText, rows),
      ...bulk(db, unlinkVulns, links),
      ...bulk(db, linkVulns, links),
      ...withdraw.flatMap((sql) => bulk(db, sql, gone)),
      db.$client.prepare(countBulletins),
    ],
  }
}
