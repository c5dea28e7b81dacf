import { html } from '../http/html'
import type { Env } from '../env'
import { showPage } from './page'

const page = (env: Env, title: string, body: ReturnType<typeof html>, status = 200) =>
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

/** For browsers without scripts; `problem` tells what was wrong with the address. */
export const newsletterPage = (env: Env, { email = '', problem = '' } = {}) =>
  page(
    env,
    'Newsletter',
    html`<p>
        The vulnerabilities that matter, by mail. You confirm your address first, and can unsubscribe at any time.
      </p>
      <form method="post" action="/public/newsletter">
        <label for="email">E-mail</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          maxlength="254"
          value="${email}"
          aria-describedby="problem"
          ${problem ? 'aria-invalid=true' : ''}
          required
        />
        <p id="problem" class="problem">${problem}</p>
        <button class="action">Subscribe</button>
      </form>`,
    problem ? 400 : 200,
  )

export const subscribedPage = (env: Env) =>
  page(
    env,
    'Subscription proceed. Thank you !',
    html`<p>
      A mail is on its way to you. Open the link in it to confirm the address; before that nothing else is sent.
    </p>`,
  )

type Question = { title: string; text: string; label: string; path: string }

/** Mail programs follow links by themselves, so only a button acts. */
const question = (env: Env, { title, text, label, path }: Question) =>
  page(
    env,
    title,
    html`<p>${text}</p>
      <form method="post" action="${path}"><button class="action">${label}</button></form>`,
  )

export const confirmPage = (env: Env, path: string) =>
  question(env, {
    title: 'Confirm your subscription',
    text: 'The newsletter will be sent to the address that got this link.',
    label: 'Confirm',
    path,
  })

export const unsubscribePage = (env: Env, path: string) =>
  question(env, {
    title: 'Unsubscribe',
    text: 'The newsletter will no longer be sent to the address that got this link.',
    label: 'Unsubscribe',
    path,
  })

export const confirmedPage = (env: Env) => page(env, 'You are subscribed', html`<p>The address is confirmed.</p>`)

export const unsubscribedPage = (env: Env) =>
  page(env, 'You are unsubscribed', html`<p>No more newsletters will be sent to this address.</p>`)

export const linkInvalidPage = (env: Env) =>
  page(
    env,
    'This link is no longer valid',
    html`<p>It has expired, or is incomplete. <a href="/public/newsletter">Ask for a new one</a>.</p>`,
    400,
  )

export const acknowledgePage = (env: Env, path: string, name: string) =>
  question(env, {
    title: `Acknowledge the alert of ${name}`,
    text: 'Your team sees that somebody takes care of it, and it goes to nobody else.',
    label: 'Acknowledge',
    path,
  })

export const acknowledgedPage = (env: Env, vuln_id: number) =>
  page(
    env,
    'The alert is acknowledged',
    html`<p>It stands so in <a href="/alerts">Alerts</a>. <a href="/vulns/${vuln_id}">See the vulnerability</a></p>`,
  )

export const snoozePage = (env: Env, path: string, name: string) =>
  question(env, {
    title: `Snooze ${name} for a week`,
    text: 'Your organization hears nothing of this vulnerability for seven days, unless it is newly exploited or a first exploit becomes known. The alert counts as acknowledged.',
    label: 'Snooze',
    path,
  })

export const snoozedPage = (env: Env, vuln_id: number) =>
  page(env, 'The vulnerability is snoozed', html`<p>It can be woken on <a href="/vulns/${vuln_id}">its page</a>.</p>`)

export const alertLinkInvalidPage = (env: Env) =>
  page(
    env,
    'This link is no longer valid',
    html`<p>
      It has expired or is incomplete, something urgent joined its alert since, your organization changes nothing at
      present, or the address that got it may get no alerts any more. <a href="/alerts">See the alert in Earshot</a>.
    </p>`,
    400,
  )

export const leavePage = (env: Env, path: string) =>
  question(env, {
    title: 'Unsubscribe',
    text: 'No more alerts and reports of this organization will be sent to the address that got this link.',
    label: 'Unsubscribe',
    path,
  })

export const leftPage = (env: Env) =>
  page(env, 'You are unsubscribed', html`<p>No more alerts and reports will be sent to this address.</p>`)
