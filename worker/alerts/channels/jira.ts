import * as z from 'zod'
import { findJiraProject } from '../../domain/alerts/jira-project'
import type { AlertFacts } from './facts'
import type { Channel, FollowUp, Line } from './channel'
import { NotTaken, parseAnswer, parseJson, sendOut, sendStep, toRequest, type ReceiverAnswer } from './outgoing'
import { cutText } from '../../domain/words/short-lists'
import { nameWhole, testText, testTitle, writeMarkup } from './words'

/** Of Jira's REST API v2, whose texts are strings at Jira Cloud and at Data Center. */
type JiraMessage = {
  issue: { summary: string; description: string; labels: string[] }
  /** Names the issue: a vulnerability has one. */
  label: string
  comment: string
  /** Stands in whatever it wrote, so that a repetition is known. */
  mark: string
}

const maxSummary = 255
const maxText = 20_000
const maxComments = 10
/** Of its answers, which hold what people wrote. */
const maxAnswer = 500_000
/** Its search knows an issue a little after it was made. */
const indexed_s = 60
const closedText = 'Closed in Earshot: it is fixed, not affected, accepted, or watched no more.'
const acknowledgedText = 'Acknowledged in Earshot.'
/** Jira Cloud has the first, Data Center the second. */
const searches = ['/rest/api/2/search/jql', '/rest/api/2/search']

const Category = z.object({ statusCategory: z.object({ key: z.string() }) })
const FoundIssues = z.object({
  issues: z.array(
    z.object({ key: z.string(), fields: z.object({ description: z.string().nullish(), status: Category }) }),
  ),
})
type FoundIssue = z.output<typeof FoundIssues>['issues'][number]
const FoundComments = z.object({ comments: z.array(z.object({ body: z.string() })) })
const FoundTransitions = z.object({ transitions: z.array(z.object({ id: z.string(), to: Category })) })
const MadeIssue = z.object({ key: z.string() })

export const jira: Channel<JiraMessage> = {
  limit: 1,
  render: ([{ alert, delivery_id }]) => {
    const mark = `(Earshot message ${delivery_id})`
    const label = toLabel({ org_id: alert.org_id, vuln_id: alert.vuln.id })
    return { issue: writeIssue(alert, label, mark), label, comment: `${describe(alert)}\n\n${mark}`, mark }
  },
  send: tell,
  follow: async ({ action, ...which }, line) => {
    const { found, answer } = await findIssue(toLabel(which), line)
    if (!found) return answer
    return action === 'resolve' ? close(found, line) : comment(found.key, acknowledgedText, acknowledgedText, line)
  },
  test: async (_, line) => {
    const label = `earshot-test-org${line.org_id}`
    const [description, mark] = [`${testText}\n\n${line.now.toISOString()}`, line.now.toISOString()]
    const answer = await tell(
      { issue: { summary: testTitle, description, labels: [label] }, label, comment: description, mark },
      line,
    )
    const made = MadeIssue.safeParse(parseJson(answer.text)).data
    return made ? close({ key: made.key, fields: { status: { statusCategory: { key: 'new' } } } }, line) : answer
  },
}

const toLabel = ({ org_id, vuln_id }: Omit<FollowUp, 'action'>) => `earshot-org${org_id}-PH-${vuln_id}`

/** A later change, or the same message once more: Jira has no ids of ours, so that the label and the mark are looked for first. */
async function tell(message: JiraMessage, line: Line) {
  const { found, answer } = await findIssue(message.label, line)
  if (!found) return create(message.issue, line)
  if (found.fields.description?.includes(message.mark)) return answer
  return comment(found.key, message.comment, message.mark, line)
}

/** Asked once only: a lost request may have been taken, and its issue is found as soon as the search knows it. */
async function create(issue: JiraMessage['issue'], line: Line) {
  const { key, type } = findPlace(line)
  const body = { fields: { project: { key }, issuetype: { name: type }, ...issue } }
  try {
    return await sendOut(line.env, request(line, '/rest/api/2/issue', body))
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error
    const { answer, wait_s } = error
    if (answer?.status === 400)
      throw new NotTaken(`Jira takes no ${type} in ${key} with a summary, a description and labels alone`, answer)
    throw (answer?.status ?? 500) < 500 ? error : new NotTaken(error.message, answer, wait_s ?? indexed_s)
  }
}

async function comment(key: string, body: string, mark: string, line: Line) {
  const path = `/rest/api/2/issue/${encodeURIComponent(key)}/comment`
  const newest = await call(line, `${path}?orderBy=-created&maxResults=${maxComments}`)
  if (read(FoundComments, newest).comments.some((written) => written.body.includes(mark))) return newest
  return sendOut(line.env, request(line, path, { body }))
}

/** By the first transition to a status that counts as done; where the project has none, or wants more fields, a comment says it. */
async function close({ key, fields }: FoundIssue, line: Line) {
  const path = `/rest/api/2/issue/${encodeURIComponent(key)}/transitions`
  const answer = await call(line, path)
  if (isDone(fields.status)) return answer
  const said = await comment(key, closedText, closedText, line)
  const way = read(FoundTransitions, answer).transitions.find(({ to }) => isDone(to))
  if (!way) return said
  return call(line, path, { transition: { id: way.id } }).catch((error: unknown) => {
    if (error instanceof NotTaken && error.answer?.status === 400) return said
    throw error
  })
}

const isDone = ({ statusCategory }: z.output<typeof Category>) => statusCategory.key === 'done'

/** The oldest, should somebody have copied it. */
async function findIssue(label: string, line: Line) {
  const { key } = findPlace(line)
  const jql = `project = "${key}" AND labels = "${label}" ORDER BY created ASC`
  const asked = { jql, maxResults: 1, fields: ['description', 'status'] }
  const [atCloud = '', atCenter = ''] = searches
  const answer = await call(line, atCloud, asked)
    .catch((error: unknown) => {
      if (error instanceof NotTaken && [404, 405].includes(error.answer?.status ?? 0))
        return call(line, atCenter, asked)
      throw error
    })
    .catch((error: unknown) => {
      if (error instanceof NotTaken && error.answer?.status === 400)
        throw new NotTaken(`Jira knows no project ${key} that this key may see`, error.answer)
      throw error
    })
  return { found: read(FoundIssues, answer).issues[0], answer }
}

const read = <Found>(schema: z.ZodType<Found>, answer: ReceiverAnswer) => parseAnswer('Jira', schema, answer)

const call = (line: Line, path: string, body?: object) => sendStep(line.env, request(line, path, body))

function findPlace({ secrets: { url } }: Line) {
  const place = findJiraProject(url ?? '')
  if (!place) throw new NotTaken('The channel has no address of a project')
  return place
}

function request(line: Line, path: string, body?: object) {
  const { apikey } = line.secrets
  if (!apikey) throw new NotTaken('The channel has no key')
  // Of Jira Cloud: the mail address of an account and its API token; of Data Center: a personal access token.
  const key = apikey.includes(':')
    ? `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(apikey)))}`
    : `Bearer ${apikey}`
  return toRequest({ base: findPlace(line).base, path, key, body, maxAnswer })
}

function writeIssue(alert: AlertFacts, label: string, mark: string) {
  const { vuln, name, headline, severity } = alert
  const text = `${escapeWiki(vuln.summary)}\n\n${describe(alert)}`
  return {
    summary: cutText(`${nameWhole(alert, ' / ')} ${headline}`.replace(/\s+/g, ' '), maxSummary),
    description: `${cutText(text, maxText)}\n\n${mark}`,
    labels: ['earshot', label, `earshot-${severity}`, ...(name.startsWith('PH-') ? [] : [name])],
  }
}

const describe = (alert: AlertFacts) => writeMarkup(alert, { bold: '*', bullet: '*', escape: escapeWiki })

/** A record's text is text, never a link, a picture, a mention, a macro, or a mark of ours, by which a message would count as told. */
const escapeWiki = (text: string) => text.replace(/[\\{}()[\]*_|!~^+@]/g, (sign) => `\\${sign}`)
