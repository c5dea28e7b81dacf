import { html } from 'hono/html'

/** Its script opens it; without scripts a link leads to the page instead. */
export const newsletterDialog = () => html`
  <dialog id="newsletter" aria-labelledby="newsletter-title">
    <form method="post" action="/public/newsletter" novalidate>
      <h2 id="newsletter-title">Newsletter</h2>
      <p>The vulnerabilities that matter, by mail. You confirm your address first, and can unsubscribe at any time.</p>
      <label for="newsletter-email">E-mail</label>
      <input
        id="newsletter-email"
        name="email"
        type="email"
        autocomplete="email"
        maxlength="254"
        aria-describedby="newsletter-problem"
        required
      />
      <p id="newsletter-problem" class="problem" aria-live="polite"></p>
      <div class="buttons">
        <button type="button" data-close>Close</button>
        <button class="action" disabled>Subscribe</button>
      </div>
    </form>
  </dialog>
  <p id="notice" class="notice" role="status" hidden></p>
`
