import { env as bindings } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadApi } from '../../worker/features'
import type { AnswersToJudge, JudgedAnswer } from '../support/openapi-judge'
import { aKnownWorld } from './support/known-world'
import { brokenRequest, likelyRequest, pickWords, sendRequest } from './support/random-requests'
import { aVictim, emptyOrg, signedInAs } from './support/victim'

const { OPENAPI_JUDGE_URL } = bindings as unknown as { OPENAPI_JUDGE_URL: string }
const reads = (await loadApi()).map(({ contract }) => contract).filter(({ method }) => method === 'GET')
const spell = (path: string) => path.replace(/\/$/, '').replace(/:(\w+)/g, '{$1}')

test('each answer to a GET is one that the OpenAPI document describes, by status, type and schema', async () => {
  const world = await aKnownWorld()
  const own = await aVictim(world)
  const admin = await (await emptyOrg(world, 'root')).aUser('admin', { is_admin: true })
  const callers = [await signedInAs(world, own.boss), await signedInAs(world, admin), 'JWT an.old.one']
  const answers: JudgedAnswer[] = []
  for (const [at, contract] of reads.entries()) {
    const sample = { seed: at, numRuns: 4 }
    const requests = [
      ...fc.sample(likelyRequest(contract, pickWords(own)), sample),
      ...fc.sample(brokenRequest(contract, pickWords(own)), sample),
    ]
    for (const authorization of callers)
      for (const sent of requests) {
        // A file of a chosen format, and rows with only some fields, have no schema of their own.
        if ('fields' in sent.query) continue
        const response = await sendRequest(world, contract, sent, authorization)
        const type = response.headers.get('content-type')?.split(';')[0] ?? ''
        const text = await response.text()
        const body: unknown = type === 'application/json' ? JSON.parse(text) : text
        answers.push({ path: spell(contract.path), method: 'GET', status: response.status, type, body })
      }
  }
  const document = (await (
    await world.request('/api/docs/swagger/?format=openapi')
  ).json()) as AnswersToJudge['document']
  const judged: AnswersToJudge = { document, answers }
  const faults = await fetch(OPENAPI_JUDGE_URL, { method: 'POST', body: JSON.stringify(judged) })
  expect([...new Set((await faults.json()) as string[])]).toEqual([])
  const described = new Set(answers.filter(({ status }) => status < 300).map(({ path }) => path))
  expect(described.size / reads.length).toBeGreaterThan(0.8)
}, 180_000)
