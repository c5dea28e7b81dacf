import { randomUUID } from 'node:crypto'
import type { Runtime } from './runtime.ts'
import { Consumer, missing, readNamed, ApiRefusal, type AccountState, type ApiRoute } from './state.ts'

/** Databases, buckets and queues, each made by name and never twice. */
export const resourceRoutes = (state: AccountState, runtime: Runtime): ApiRoute[] => [
  ['POST', /^\/d1\/database$/, async ({ request }) => makeDatabase(state, runtime, await readNamed(request, 'name'))],
  ['GET', /^\/d1\/database\/([^/]+)$/, ({ parts: [id] }) => findDatabase(state, id)],
  ['PUT', /^\/d1\/database\/([^/]+)$/, ({ parts: [id] }) => findDatabase(state, id)],
  ['GET', /^\/d1\/database\/([^/]+)\/time_travel\/bookmark$/, () => ({ bookmark: '00000001-00000002' })],
  [
    'POST',
    /^\/d1\/database\/([^/]+)\/query$/,
    async ({ parts: [uuid = ''], request }) => {
      const sql = await readNamed(request, 'sql')
      if (state.planted.isOld && sql.includes('jsonb_each'))
        throw new ApiRefusal(400, 7500, 'no such table: jsonb_each')
      return runtime.query(uuid, sql)
    },
  ],
  [
    'GET',
    /^\/r2\/buckets\/([^/]+)$/,
    ({ parts: [name = ''] }) => {
      if (!state.buckets.has(name)) throw missing(10_006, `Bucket ${name}`)
      return { name }
    },
  ],
  ['GET', /^\/r2\/buckets$/, () => ({ buckets: [...state.buckets].map((name) => ({ name })) })],
  ['POST', /^\/r2\/buckets$/, async ({ request }) => state.buckets.add(await readNamed(request, 'name')) && {}],
  [
    'GET',
    /^\/queues$/,
    ({ query }) =>
      [...state.queues]
        .filter(([name]) => !query.has('name') || query.getAll('name').includes(name))
        .map(([queue_name, consumers]) => ({ queue_id: queue_name, queue_name, consumers: consumers.map(toListed) })),
  ],
  ['POST', /^\/queues$/, async ({ request }) => makeQueue(state, await readNamed(request, 'queue_name'))],
  [
    'POST',
    /^\/queues\/([^/]+)\/consumers$/,
    async ({ parts: [queue = ''], request }) => {
      const consumer = Consumer.parse(await request.json())
      for (const name of [queue, consumer.dead_letter_queue ?? queue])
        if (!state.queues.has(name)) throw missing(11_000, `Queue ${name}`)
      state.queues.get(queue)?.push(consumer)
      runtime.forget()
      return {}
    },
  ],
  ['PUT', /^\/queues\/([^/]+)\/consumers\/([^/]+)$/, () => ({})],
]

const toListed = (consumer: Consumer) => ({
  ...consumer,
  type: 'worker',
  script: consumer.script_name,
  consumer_id: consumer.script_name,
})

function makeDatabase(state: AccountState, runtime: Runtime, name: string) {
  if (state.databases.has(name)) throw new ApiRefusal(400, 7502, `A database named ${name} exists`)
  state.databases.set(name, randomUUID())
  runtime.forget()
  return findDatabase(state, name)
}

function findDatabase(state: AccountState, id = '') {
  const entry = [...state.databases].find(([name, uuid]) => name === id || uuid === id)
  if (!entry) throw missing(7404, `Database ${id}`)
  return { name: entry[0], uuid: entry[1] }
}

function makeQueue(state: AccountState, queue_name: string) {
  if (state.queues.has(queue_name)) throw new ApiRefusal(409, 11_009, `A queue named ${queue_name} exists`)
  state.queues.set(queue_name, [])
  return { queue_id: queue_name, queue_name }
}
