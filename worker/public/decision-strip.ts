import { html } from 'hono/html'
import { decide, decisionLines } from '../domain/decisions/decision'
import { outLink } from './card'
import type { PublicVuln } from './contract'

export const decisionStrip = (vuln: PublicVuln) =>
  vuln.state === 'rejected'
    ? ''
    : html`<section class="card decision" aria-label="Decision">
        <h2>${decide(vuln).name}</h2>
        <dl>
          ${decisionLines(vuln).map(
            ({ label, text, url }) =>
              html`<div>
                <dt>${label}</dt>
                <dd>${url ? outLink(url, text) : text}</dd>
              </div>`,
          )}
        </dl>
      </section>`
