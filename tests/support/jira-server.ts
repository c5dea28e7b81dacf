import * as z from 'zod'
import type { Received } from './receivers.ts'

export type JiraIssue = {
  key: string
  summary: string
  description: string
  labels: string[]
  status: 'new' | 'done'
  comments: string[]
}
type Reply = { status: number; body: string }
const json = (status: number, value: unknown): Reply => ({ status, body: JSON.stringify(value) })

// From Atlassian's OpenAPI document of Jira's REST API v2 (IssueUpdateDetails, SearchAndReconcileRequestBean, Comment), whose texts are strings, with
// its limits: a summary of 255 characters in one line, texts of 32,767, labels without spaces of 255.
const text = z.string().min(1).max(32_767)
const shapes = {
  issue: z.strictObject({
    fields: z.strictObject({
      project: z.strictObject({ key: z.string() }),
      issuetype: z.strictObject({ name: z.string() }),
      summary: z
        .string()
        .min(1)
        .max(255)
        .regex(/^[^\r\n]*$/),
      description: text,
      labels: z.array(z.string().regex(/^\S{1,255}$/)),
    }),
  }),
  search: z.strictObject({
    jql: z.string(),
    maxResults: z.int().min(1).max(5_000),
    fields: z.array(z.string()),
  }),
  comment: z.strictObject({ body: text }),
  transitions: z.strictObject({ transition: z.strictObject({ id: z.string() }) }),
}

/** The parts of Jira that we use: at `/jira` as Cloud has them, at `/jira-center` as Data Center does, which knows no `search/jql`. */
export function answerJira(issues: Map<string, JiraIssue>, received: Received, [kind, ...rest]: string[]): Reply {
  const isCloud = kind === 'jira'
  const authorization = received.headers['authorization'] ?? ''
  if (!(isCloud ? /^Basic \S+$/ : /^Bearer \S+$/).test(authorization)) return json(401, { message: 'Unauthorized' })
  const [path = '', query = ''] = rest.join('/').split('?')
  const [, , , , what = '', key = '', part = ''] = `/${path}`.split('/')
  if (!path.startsWith('rest/api/2/')) return json(404, {})
  if (what === 'search' && (key === 'jql') !== isCloud) return json(404, { message: 'null for uri' })
  if (received.method === 'GET') return answerGet(issues.get(key), part, query)
  const shape = what === 'search' ? 'search' : part === 'comment' || part === 'transitions' ? part : 'issue'
  const body: unknown = JSON.parse(received.body)
  const { error } = shapes[shape].safeParse(body)
  received.problem = error ? `${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}` : null
  if (received.problem) return json(400, { errorMessages: [received.problem] })
  if (shape === 'search') return search(issues, body as z.output<typeof shapes.search>)
  if (shape === 'issue') return create(issues, body as z.output<typeof shapes.issue>)
  const issue = issues.get(key)
  if (!issue) return json(404, { errorMessages: ['Issue does not exist or you do not have permission to see it.'] })
  if (shape === 'comment') issue.comments.push((body as { body: string }).body)
  else issue.status = 'done'
  return shape === 'comment' ? json(201, { id: '1' }) : { status: 204, body: '' }
}

function answerGet(issue: JiraIssue | undefined, part: string, query: string): Reply {
  if (!issue) return json(404, { errorMessages: ['Issue does not exist or you do not have permission to see it.'] })
  if (part === 'comment') {
    const asked = new URLSearchParams(query)
    if (asked.get('orderBy') !== '-created') return json(400, { errorMessages: ['orderBy'] })
    const newest = issue.comments.toReversed().slice(0, Number(asked.get('maxResults')))
    return json(200, { comments: newest.map((body) => ({ body })) })
  }
  const to = (category: string) => ({ to: { statusCategory: { key: category } } })
  return json(200, {
    transitions: [
      { id: '11', ...to('indeterminate') },
      { id: '31', ...to('done') },
    ],
  })
}

function search(issues: Map<string, JiraIssue>, { jql, maxResults, fields }: z.output<typeof shapes.search>) {
  const [, project, label = ''] = /^project = "(\w+)" AND labels = "([\w-]+)" ORDER BY created ASC$/.exec(jql) ?? []
  if (project !== 'SEC')
    return json(400, { errorMessages: [`The value '${project}' does not exist for the field 'project'.`] })
  const found = [...issues.values()].filter(({ labels }) => labels.includes(label)).slice(0, maxResults)
  const listed = found.map(({ key, description, status }) => {
    const all = { description, status: { statusCategory: { key: status } } }
    return { key, fields: Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name))) }
  })
  return json(200, { issues: listed })
}

function create(issues: Map<string, JiraIssue>, { fields }: z.output<typeof shapes.issue>) {
  const { issuetype, summary, description, labels } = fields
  if (issuetype.name !== 'Task') return json(400, { errors: { issuetype: 'Specify a valid issue type' } })
  const key = `SEC-${issues.size + 1}`
  issues.set(key, { key, summary, description, labels, status: 'new', comments: [] })
  return json(201, { id: String(10_000 + issues.size), key })
}
