import { readCweJson, weaknessRows } from './cwe-record'
import { readCweZip } from './cwe-xml'
import { defineFeed } from '../source/feed'
import { ByteReader } from '../../archives/byte-reader'
import { isLocalHeader } from '../../archives/zip-format'
import { saveWhole } from '../source/save-whole'
import { wholeListFeed } from '../source/whole-list'

export const cwe = defineFeed({
  id: 'cwe',
  name: 'CWE',
  every_minutes: 1440,
  quiet_days: null,
  origin: 'https://cwe.mitre.org/data/xml/cwec_latest.xml.zip',
  topics: ['cwes'],
  ...wholeListFeed(50_000_000, async (run, list) => {
    const reader = new ByteReader(list.body)
    const isZip = isLocalHeader((await reader.peek(4)) ?? new Uint8Array())
    const { version, items } = await (isZip ? readCweZip(reader.stream()) : readCweJson(reader.stream()))
    const { rows, skipped, unread } = weaknessRows(items)
    const columns = ['name', 'description', 'abstraction', 'status', 'likelihood', 'related']
    const weaknesses = { name: 'weaknesses', key: ['id'], columns, of: 'id', rows, counter: 'weaknesses' }
    return saveWhole(run, { version: list.version || version, tables: [weaknesses], skipped, unread })
  }),
})
