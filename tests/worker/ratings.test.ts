import type { AnyEndpoint } from '../../worker/http/endpoint'
import { expect, test } from 'vitest'
import { toSeconds, plusSeconds, stamp } from '../../worker/db/time'
import { computeAdjustedCvss2 } from '../../worker/domain/scores/cvss-score'
import { computeRating, ratingWeights } from '../../worker/domain/scores/rating'
import { parseRatingVector } from '../../worker/domain/scores/rating-vector'
import { calcAssetRating, calcRating, getRatingVector, ratingMetricWeights } from '../../worker/ratings/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { anOrg, rows } from './support/org'
import type { World } from './support/world'

const daysAgo = (days: number) => stamp(plusSeconds(new Date(), -days * 86_400))

const log4shell = {
  cvss_vector: 'AV:N/AC:M/Au:N/C:C/I:C/A:C',
  cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
  is_exploitable: 1,
  is_confirmed: 1,
  is_in_the_wild: 1,
  exploit_metrics: 'EA:U/EM:F/ET:H',
  exploit_published: daysAgo(20),
}

type Columns = Partial<Record<keyof typeof log4shell | 'org_id', string | number | null>>
let made = 0

async function aVuln({ env }: World, columns: Columns = {}) {
  const given = { cveid: `CVE-2026-${70_000 + ++made}`, published: toSeconds(daysAgo(30)), ...columns }
  const names = ['state', 'summary', 'created_at', 'updated_at', ...Object.keys(given)]
  const values = ['published', 'A flaw', toSeconds(daysAgo(30)), toSeconds(daysAgo(1)), ...Object.values(given)]
  const sql = `INSERT INTO vulns(${names.join()}) VALUES (${values.map((_, at) => `?${at + 1}`).join()}) RETURNING id`
  const [row] = await rows<{ id: number }>(env, sql, ...values)
  return { id: row?.id ?? 0 }
}

test('a rating is what the one rating function makes of the vulnerability’s vector', async () => {
  const { world, call } = await anOrg()
  const params = await aVuln(world, log4shell)

  const rating = await call(calcRating, { params })
  expect(rating).toMatchObject({
    ...params,
    vuln: params.id,
    vector: 'AV:N/AC:L/Au:N/C:C/I:C/A:C/CL:Y/VX:30/EA:U/EM:F/ET:H/EX:20/W:Y',
    score: 89,
    score_details: { vuln: 5, threat: 5, asset: 1.8 },
    cvssV2adj: [9.3, 9.3, null],
    cvssv2adj: [9.3, 9.3, null],
  })
  expect(computeRating(rating.vector ?? '')).toMatchObject({ score: rating.score, ...rating.score_details })
  expect(await call(getRatingVector, { params })).toBe(rating.vector)
  expect((await call(getVuln, { params })).rating_vector).toBe(rating.vector)
})

test('an asset is described by words, letters or a number, in a body, a form or a query', async () => {
  const { world, call, access } = await anOrg()
  const params = await aVuln(world, log4shell)
  const told = { criticality: 'high', exposure: 'external', distribution: 'low' }

  const rating = await call(calcAssetRating, { params, body: told })
  expect(rating.vector).toMatch(/\/W:Y\/Cr:H\/E:E\/D:L$/)
  expect(rating).toMatchObject({ score: 96, score_details: { asset: 3.2 }, cvssv2adj: [9.3, 9.3, 9.7] })

  const spellings = [
    { criticality: 'H', exposure: 'e', distribution: 'L' },
    { criticality: 'High', exposure: 'External', distribution: '14' },
  ]
  for (const body of spellings) expect(await call(calcAssetRating, { params, body })).toEqual(rating)
  expect(await call(calcRating, { params, query: told })).toEqual(rating)

  const form = await world.request(`/api/ratings/calc/${params.id}`, {
    method: 'POST',
    headers: { authorization: `JWT ${access}` },
    body: new URLSearchParams(told),
  })
  expect(await form.json()).toEqual(rating)
})

test.each([
  [0, 'L'],
  [14, 'L'],
  [15, 'M'],
  [44, 'M'],
  [45, 'H'],
])('a distribution of %d is %s', async (distribution, letter) => {
  const { world, call } = await anOrg()
  const params = await aVuln(world, log4shell)
  const { vector } = await call(calcAssetRating, { params, body: { distribution } })
  expect(parseRatingVector(vector ?? '').metrics.D).toBe(letter)
})

test('an asset of which nothing is known changes nothing', async () => {
  const { world, call } = await anOrg()
  const params = await aVuln(world, log4shell)
  const body = { criticality: 'unknown', exposure: '', distribution: 'X' }
  expect(await call(calcAssetRating, { params, body })).toEqual(await call(calcRating, { params }))
})

test('CVSS v2 is adjusted from the mapped metrics where there is no vector of version 2', async () => {
  const { world, call } = await anOrg()
  const params = await aVuln(world, { cvss3_vector: log4shell.cvss3_vector })
  const { cvssv2adj } = await call(calcRating, { params })
  expect(cvssv2adj).toEqual([10, null, null])
  expect(cvssv2adj).toEqual(
    computeAdjustedCvss2('AV:N/AC:L/Au:N/C:C/I:C/A:C', {
      is_exploitable: false,
      is_confirmed: false,
      rating_vector: '',
    }),
  )
})

test('an unscored vulnerability has no rating, and says so by null, or by an empty vector', async () => {
  const { world, call } = await anOrg()
  const params = await aVuln(world)
  const nothing = { vector: '', score: null, score_details: null, cvssV2adj: null, cvssv2adj: null }
  expect(await call(calcRating, { params })).toEqual({ id: params.id, vuln: params.id, ...nothing })
  expect(await call(getRatingVector, { params })).toBe('')
})

test('the metrics tell the weights that the rating uses', async () => {
  const { call } = await anOrg()
  expect(await call(ratingMetricWeights)).toEqual(ratingWeights)
})

test('a vulnerability that is unknown, or private to another organization, has no rating', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  const params = await aVuln(theirs.world, { ...log4shell, org_id: theirs.org_id })
  for (const contract of [calcRating, calcAssetRating, getRatingVector] as AnyEndpoint[]) {
    expect((await theirs.answer(contract, { params })).status).toBe(200)
    expect((await ours.answer(contract, { params })).status).toBe(404)
    expect((await ours.answer(contract, { params: { id: 999_999 } })).status).toBe(404)
    expect((await ours.answer(contract, { params: { id: 'x' } })).status).toBe(400)
  }
})

test.each([
  [{ criticality: 'huge' }, 'Must be low, medium or high'],
  [{ exposure: 'L' }, 'Must be restricted, internal or external'],
  [{ distribution: 'constructor' }, 'Must be low, medium, high or a number'],
])('an asset of %j is refused', async (body, message) => {
  const { world, answer } = await anOrg()
  const params = await aVuln(world, log4shell)
  const response = await answer(calcAssetRating, { params, body })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ issues: [{ message }] })
})
