import { html } from '../http/html'
import type { Env } from '../env'
import { readBuilt, type Built } from './built'
import { stackedTable } from './card'
import { mayIndex, showPage } from './page'

const cacheSeconds = 3_600

type Source = Built['sources'][number] & { notice?: string }

const toRow = ({ name, by, url, gives, licence, notice }: Source) => ({
  head: html`<a href="${url}" rel="noreferrer">${name}</a>
    <div class="quiet">${by}</div>`,
  cells: [gives, html`${licence}${notice ? html`<div class="quiet">${notice}</div>` : ''}`],
})

/** Sources of Earshot, their terms, and the notices that those ask for. */
export async function sourcesPage(env: Env) {
  const { sources } = await readBuilt(env)
  return showPage(env, {
    title: 'Sources and licences',
    description: 'Sources of Earshot, what it takes from each, and under which terms.',
    path: '/sources',
    cache_seconds: cacheSeconds,
    head: mayIndex,
    body: html`<h1>Sources and licences</h1>
      <p class="lead">
        Earshot puts together what others find out and publish. Each record names the sources of what it says; here
        stand their authors and terms. Which of them this installation reads, and how fresh they are, says
        <a href="/status">Status</a>.
      </p>
      ${stackedTable(
        'Sources',
        ['Source', 'What Earshot takes', 'Licence or terms'],
        sources.map(toRow),
        'texts stacks',
      )}`,
  })
}
