import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { helpTopics } from '../../web/ui/help-link'
import { signInAs } from './support/account'
import { atHome } from './support/answers'
import { aVulnDetail } from './support/vuln-detail'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const settings = {
  turnstile_site_key: null,
  trial_days: 14,
  version: '1.3.0',
  edition: 'Pro',
  build: 'SaaS',
  contact: 'support@earshot.example',
  terms_url: null,
  privacy_url: null,
  plans_url: null,
}
const answers = { ...atHome, 'GET /api/public/settings': () => ({ body: settings }) }

beforeEach(() => {
  signInAs()
  fakeServer(answers)
})

const listTitles = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
const search = (text: string) =>
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search in Help' }), { target: { value: text } })

test('Help says what the specification lists, and more', async () => {
  visit('/help')
  await screen.findByRole('heading', { name: 'Help' })
  expect(listTitles()).toEqual([
    'Monitoring',
    'Organizations',
    'Alerting',
    'What a score is made of',
    'Versions and verdicts',
    'Inventories',
    'How exact it is',
    'Query language',
    'Keyboard',
    'Where data comes from, and how fresh it is',
    'REST API',
    'Contributing',
    'Contact',
    'Copyright and version',
  ])
  const contents = within(screen.getByRole('navigation', { name: 'Topics' })).getAllByRole('link')
  expect(contents.map((link) => link.getAttribute('href'))).toEqual(helpTopics.map((id) => `/help#${id}`))
})

test.each([
  ['Swagger UI', '/api/docs/swagger/'],
  ['ReDoc', '/api/docs/redoc/'],
  ['OpenAPI', '/api/docs/openapi.json'],
])('the REST API leads to %s', async (name, href) => {
  visit('/help')
  expect((await screen.findByRole('link', { name })).getAttribute('href')).toBe(href)
})

test('version, edition, build and contact are those of the configuration', async () => {
  visit('/help')
  const about = within(await screen.findByRole('region', { name: 'Copyright and version' }))
  for (const value of ['1.3.0', 'Pro', 'SaaS']) expect(await about.findByText(value)).toBeTruthy()
  expect((await screen.findByRole('link', { name: settings.contact })).getAttribute('href')).toBe(
    'mailto:support@earshot.example',
  )
  expect(screen.getByText('Earshot 1.3.0')).toBeTruthy()
})

test('a search keeps the topics that have all its words', async () => {
  const place = visit('/help')
  await screen.findByRole('heading', { name: 'Help' })
  search('Provisional ransomware')
  await waitFor(() => expect(listTitles()).toEqual(['What a score is made of']))
  expect(place.address()).toBe('/help?search=Provisional+ransomware')
  search('swagger')
  await waitFor(() => expect(listTitles()).toEqual(['REST API']))
  search('nothing-of-the-kind')
  expect(await screen.findByText('No topic contains these words')).toBeTruthy()
})

test('how exact it is stands on a page for anybody', async () => {
  visit('/help#conformance')
  const topic = within(await screen.findByRole('region', { name: 'How exact it is' }))
  expect(topic.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/conformance', '/census'])
})

test('an address leads to its topic', async () => {
  visit('/help#sources')
  const heading = await screen.findByRole('heading', { name: 'Where data comes from, and how fresh it is' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
})

test('from a score one gets to what it is made of', async () => {
  fakeServer({ ...answers, 'GET /api/vulns/12/': () => ({ body: aVulnDetail() }) })
  visit('/vulns/12')
  fireEvent.click(await screen.findByRole('link', { name: 'Help: what a score is made of' }))
  const heading = await screen.findByRole('heading', { name: 'What a score is made of' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
})
