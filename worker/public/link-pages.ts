import { findLinked, followLink } from '../alerts/acknowledge/acknowledge'
import type { AlertLinks } from '../alerts/channels/facts'
import { leaveAlerts } from '../alerts/leave'
import { Email } from '../domain/people/password'
import type { Env } from '../env'
import { html } from '../http/html'
import type { RequestScope } from '../http/route'
import { confirmSubscription, subscribe, unsubscribe } from '../newsletter/newsletter'
import { emailField, newsletterWords, pageRoute, showPage, type Html } from './page'

type Told = [title: string, body: Html]

type Question = [title: string, text: string]
type Link = {
  path: string
  /** Null where the link holds no longer. */
  ask: (request: RequestScope, token: string) => Promise<Question | null>
  act: (request: RequestScope, token: string) => Promise<Told | null>
  invalid: Html
}
type Texts<Ask, Done> = { asks: Ask; done: Done }

const byLink = (
  path: string,
  act: (request: RequestScope, token: string) => Promise<boolean>,
  { asks, done }: Texts<Question, Told>,
): Link => ({
  path,
  ask: async () => asks,
  act: async (request, token) => ((await act(request, token)) ? done : null),
  invalid: html`<p>It has expired, or is incomplete. <a href="/public/newsletter">Ask for a new one</a>.</p>`,
})

/** Names what it is about, to whoever holds the link of its message. */
const byAlertLink = (
  action: keyof AlertLinks,
  { asks, done }: Texts<(name: string) => Question, (vuln_id: number) => Told>,
): Link => ({
  path: `/public/alerts/${action}`,
  ask: async ({ db, env, now }, token) => {
    const name = await findLinked(db, action, token, { env, now })
    return name === null ? null : asks(name)
  },
  act: async ({ db, env, client, now }, token) => {
    const vuln_id = await followLink(db, action, token, { env, client, now })
    return vuln_id === null ? null : done(vuln_id)
  },
  invalid: html`<p>
    It has expired or is incomplete, something urgent joined its alert since, your organization changes nothing at
    present, or the address that got it may get no alerts any more. <a href="/alerts">See the alert in Earshot</a>.
  </p>`,
})

const links = [
  byLink('/public/newsletter/confirm', ({ db, now }, token) => confirmSubscription(db, token, now), {
    asks: ['Confirm your subscription', 'The newsletter will be sent to the address that got this link.'],
    done: ['You are subscribed', html`<p>The address is confirmed.</p>`],
  }),
  byLink('/public/newsletter/unsubscribe', ({ db }, token) => unsubscribe(db, token), {
    asks: ['Unsubscribe', 'The newsletter will no longer be sent to the address that got this link.'],
    done: ['You are unsubscribed', html`<p>No more newsletters will be sent to this address.</p>`],
  }),
  byLink('/public/alerts/leave', ({ db, env, client, now }, token) => leaveAlerts(db, token, { env, client, now }), {
    asks: [
      'Unsubscribe',
      'No more alerts and reports of this organization will be sent to the address that got this link.',
    ],
    done: ['You are unsubscribed', html`<p>No more alerts and reports will be sent to this address.</p>`],
  }),
  byAlertLink('acknowledge', {
    asks: (name) => [
      `Acknowledge the alert of ${name}`,
      'Your team sees that somebody takes care of it, and it goes to nobody else.',
    ],
    done: (vuln_id) => [
      'The alert is acknowledged',
      html`<p>It stands so in <a href="/alerts">Alerts</a>. <a href="/vulns/${vuln_id}">See the vulnerability</a></p>`,
    ],
  }),
  byAlertLink('snooze', {
    asks: (name) => [
      `Snooze ${name} for a week`,
      'Your organization hears nothing of this vulnerability for seven days, unless it is newly exploited or a first exploit becomes known. The alert counts as acknowledged.',
    ],
    done: (vuln_id) => [
      'The vulnerability is snoozed',
      html`<p>It can be woken on <a href="/vulns/${vuln_id}">its page</a>.</p>`,
    ],
  }),
]

const showNarrow = (env: Env, [title, body]: Told, status = 200) =>
  showPage(env, {
    title,
    description: title,
    path: '/public/newsletter',
    status,
    body: html`<div class="narrow card">
      <h1>${title}</h1>
      ${body}
    </div>`,
  })

/** Mail programs follow links by themselves, so only a button acts; it bears the first word of the title. */
const showQuestion = (env: Env, [title, text]: Question, path: string) =>
  showNarrow(env, [
    title,
    html`<p>${text}</p>
      <form method="post" action="${path}"><button class="action">${title.split(' ', 1)}</button></form>`,
  ])

export const linkPages = links.flatMap(({ path, ask, act, invalid }) => {
  const refuse = (env: Env) => showNarrow(env, ['This link is no longer valid', invalid], 400)
  return [
    pageRoute('GET', `${path}/:token`, async (request) => {
      const question = await ask(request, request.params.token ?? '')
      return question ? showQuestion(request.env, question, request.url.pathname) : refuse(request.env)
    }),
    pageRoute('POST', `${path}/:token`, async (request) => {
      const done = await act(request, request.params.token ?? '')
      return done ? showNarrow(request.env, done) : refuse(request.env)
    }),
  ]
})

/** For browsers without scripts; `problem` tells what was wrong with the address. */
const showForm = (env: Env, { email = '', problem = '' } = {}) =>
  showNarrow(
    env,
    [
      'Newsletter',
      html`${newsletterWords}
        <form method="post" action="/public/newsletter">
          ${emailField('', html`value="${email}" ${problem ? 'aria-invalid=true' : ''}`)}
          <p id="problem" class="problem">${problem}</p>
          <button class="action">Subscribe</button>
        </form>`,
    ],
    problem ? 400 : 200,
  )

const subscribed = html`<p>
  A mail is on its way to you. Open the link in it to confirm the address; before that nothing else is sent.
</p>`

export const newsletterPages = [
  pageRoute('GET', '/public/newsletter', ({ env }) => showForm(env)),
  pageRoute('POST', '/public/newsletter', async ({ db, body, env, client, now }) => {
    const { data: email, error } = Email.safeParse(body.email)
    if (error) return showForm(env, { email: body.email, problem: error.issues[0]?.message ?? '' })
    await subscribe(db, email, { env, client, now })
    return showNarrow(env, ['Subscription proceed. Thank you !', subscribed])
  }),
]
