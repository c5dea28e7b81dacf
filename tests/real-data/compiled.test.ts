import { expect, test } from 'vitest'
import { findKnownVersions, judgeStatements, type Statement } from '../../worker/domain/versions/affected'
import { compileName } from '../../worker/domain/versions/compiled'
import { groupStatements, listCveIds, readMirrorRecords } from '../support/mirror-records'

/** All names of all years take some minutes: the README of `worker/exposure` tells what they came to. */
const years = [2016, 2021, 2024]
const every = 12
const maxVersions = 24

test('both judges agree: the compiled ranges of a name, and its statements one by one', { timeout: 600_000 }, () => {
  const named = new Map<string, Map<string, Statement[]>>()
  for (const [id, records] of readMirrorRecords(new Set(years.flatMap((year) => listCveIds(`cves-${year}.json.gz`)))))
    for (const [name, statements] of groupStatements(records)) {
      if (!named.has(name)) named.set(name, new Map())
      named.get(name)?.set(id, statements)
    }

  const counts = { names: 0, versions: 0, comparisons: 0 }
  const unlike: string[] = []
  for (const [name, said] of [...named].filter((_, at) => at % every === 0)) {
    const all = [...said.values()]
    const known = findKnownVersions(all.flat().flatMap(({ ranges }) => ranges))
    const versions = known.filter((_, at) => at % Math.ceil(known.length / maxVersions) === 0)
    const judge = compileName(all.map((statements, at) => ({ vuln_ids: [at], statements })))
    counts.names++
    counts.versions += versions.length
    for (const version of versions)
      for (const [{ vuln_ids, statements }, verdict] of judge({ version })) {
        counts.comparisons++
        const { by: _, ...alone } = judgeStatements(version, statements)
        if (JSON.stringify(verdict) !== JSON.stringify(alone)) unlike.push(`${name} ${version} ${vuln_ids.join()}`)
      }
  }
  console.info(counts)
  expect(unlike).toEqual([])
  expect(counts.comparisons).toBeGreaterThan(10_000)
})
