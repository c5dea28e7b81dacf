import { route } from '../http/route'
import { previewNewsletter, sendNewsletterSample, subscribeNewsletter } from './contract'
import { previewIssue, sendIssueSample } from './issue'
import { subscribe } from './newsletter'

export const newsletterRoutes = [
  route(previewNewsletter).handle(({ db, ...by }) => previewIssue(db, by)),
  route(sendNewsletterSample).handle(({ db, ...by }) => sendIssueSample(db, by)),
  route(subscribeNewsletter).handle(({ db, body, env, client, now }) =>
    subscribe(db, body.email, { env, client, now }),
  ),
]
