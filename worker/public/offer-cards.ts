import { html } from 'hono/html'
import { card } from './card'

const trial = html`<a class="action" href="/trial">Start a free 14-day trial</a>`

export const proCard = () =>
  card(
    'Earshot Pro',
    html`<p>
        Choose the vendors, products and packages you run. Within minutes you hear of each vulnerability that affects
        them, by mail, chat or API.
      </p>
      ${trial}`,
  )

export const serviceCard = () =>
  card(
    'Security service',
    html`<p>
        Have vulnerabilities watched and rated for your assets, so that your team starts with those that matter. The
        first 14 days are free.
      </p>
      ${trial}`,
  )

export const newsletterCard = () =>
  card(
    'Newsletter',
    html`<p>
        The vulnerabilities that matter, by mail. You confirm your address first, and can unsubscribe at any time.
      </p>
      <a class="action" href="/public/newsletter" data-newsletter>Subscribe</a>`,
  )
