import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeRating, ratingWeights } from '../../worker/domain/scores/rating'
import { RatingPage } from '../../web/ratings/rating-page'
import { openVector, setMetric } from '../../web/ratings/rating-state'
import { press } from './support/forms'
import { show } from './support/screen'
import { fakeServer } from './support/server'

const defaultVector = 'AV:N/AC:L/Au:N/C:N/I:N/A:N/VX:0/EX:0/Cr:M/E:I/D:M'
const log4shell = 'AV:N/AC:L/Au:N/C:C/I:C/A:C/CL:Y/VX:30/EA:U/EM:F/ET:H/EX:20/W:Y'
const own = {
  id: 12,
  vuln: 12,
  vector: log4shell.replace('C:C', 'C:H'),
  score: 89,
  score_details: { vuln: 5, threat: 5, asset: 1.8 },
  cvssV2adj: [9.3, 9.3, null],
  cvssv2adj: [9.3, 9.3, null],
}

type Answers = Parameters<typeof fakeServer>[0]

function showRatings(address = '/ratings', answers: Answers = {}) {
  const server = fakeServer({
    'GET /api/ratings/metrics': () => ({ body: ratingWeights }),
    'GET /api/ratings/calc/12': () => ({ body: own }),
    'GET /api/ratings/vector/12': () => ({ body: log4shell }),
    ...answers,
  })
  const { address: currentAddress } = show(<RatingPage />, address)
  const vectorShown = () => new URLSearchParams(currentAddress().split('?')[1]).get('vector')
  return { server, currentAddress, vectorShown }
}

const group = (name: string) => within(screen.getByRole('radiogroup', { name }))
const choose = (name: string, word: RegExp) => fireEvent.click(group(name).getByRole('radio', { name: word }))
const chosen = (name: string) =>
  group(name)
    .getAllByRole<HTMLInputElement>('radio')
    .filter(({ checked }) => checked)
    .map(({ labels }) => labels?.[0]?.querySelector('span')?.textContent)
const tick = (name: RegExp) => fireEvent.click(screen.getByRole('checkbox', { name }))
const score = () => screen.getByRole('status', { name: /Global score/ }).getAttribute('aria-label')
const gauge = (name: string) => screen.getByRole('img', { name: new RegExp(`^${name}`) }).getAttribute('aria-label')

test('it opens with the default rating of the specification', () => {
  const { vectorShown } = showRatings()
  expect(score()).toBe('Global score 23 of 100, Low')
  expect(gauge('Vulnerability')).toBe('Vulnerability: 16 of 100, Low')
  expect(gauge('Threat')).toBe('Threat: 26 of 100, Low')
  expect(gauge('Asset')).toBe('Asset: 45 of 100, Medium')
  const words = ['Access vector', 'Access complexity', 'Authentication', 'Remediation', 'Criticality', 'Exposure']
  expect(words.flatMap(chosen)).toEqual(['Network', 'Low', 'None', 'Unknown', 'Medium', 'Internal'])
  expect(chosen('Distribution')).toEqual(['Medium'])
  expect(vectorShown()).toBeNull()
  expect(screen.getByText(defaultVector)).toBeTruthy()
})

test('every click changes the scores and the address at once', async () => {
  const { vectorShown } = showRatings()
  choose('Confidentiality impact', /Complete/)
  choose('Integrity impact', /Complete/)
  choose('Availability impact', /Complete/)
  tick(/Confirmed/)
  choose('Exploit availability', /Public/)
  choose('Exploit maturity', /Functional/)
  choose('Trust in the exploit', /High/)
  tick(/In the wild/)
  choose('Criticality', /High/)
  choose('Exposure', /External/)
  choose('Distribution', /High/)
  choose('Remediation', /Official/)
  fireEvent.change(screen.getByLabelText('Age of the vulnerability'), { target: { value: '400' } })
  fireEvent.change(screen.getByLabelText('Age of the exploit'), { target: { value: '400' } })

  expect(score()).toBe('Global score 100 of 100, Critical')
  const vector = `AV:N/AC:L/Au:N/C:C/I:C/A:C/CL:Y/R:O/VX:400/EA:U/EM:F/ET:H/EX:400/W:Y/Cr:H/E:E/D:H`
  await waitFor(() => expect(vectorShown()).toBe(vector))
  expect(screen.getByText(vector)).toBeTruthy()

  tick(/In the wild/)
  choose('Remediation', /Unknown/)
  fireEvent.change(screen.getByLabelText('Age of the exploit'), { target: { value: '' } })
  await waitFor(() => expect(vectorShown()).toBe(vector.replace('/W:Y', '').replace('/R:O', '').replace('/EX:400', '')))
})

test('a vector in the address is shown, and reset leads back to the default rating', async () => {
  const { vectorShown } = showRatings(`/ratings?vector=${encodeURIComponent(log4shell)}`)
  expect(score()).toBe('Global score 89 of 100, Critical')
  expect(chosen('Integrity impact')).toEqual(['Complete'])
  expect(chosen('Criticality')).toEqual(['Not set'])
  expect(screen.queryByRole('alert')).toBeNull()

  press('Reset')
  await waitFor(() => expect(vectorShown()).toBeNull())
  expect(score()).toBe('Global score 23 of 100, Low')
})

test('a wrong vector is named with the wrong token, and the first change makes it right', async () => {
  const { vectorShown } = showRatings('/ratings?vector=AV:Q/AC:L/Au:N/C:C/I:C/A:C/PR:N')
  const alert = within(screen.getByRole('alert'))
  expect(alert.getByText('AV:Q').parentElement?.textContent).toBe('AV:Q AV is one of L, A, N')
  expect(alert.getByText('PR:N').parentElement?.textContent).toBe('PR:N is no metric of a rating')
  expect(chosen('Access vector')).toEqual([])

  choose('Access vector', /Adjacent/)
  await waitFor(() => expect(vectorShown()).toBe('AV:A/AC:L/Au:N/C:C/I:C/A:C'))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('the field of an age keeps digits only', async () => {
  const { vectorShown } = showRatings('/ratings?vector=VX:5')
  fireEvent.change(screen.getByLabelText('Age of the vulnerability'), { target: { value: '-0016.days' } })
  await waitFor(() => expect(vectorShown()).toBe('VX:16'))
})

test('a vulnerability that is named is opened with its vector, and compared with what one makes of it', async () => {
  const { vectorShown, server } = showRatings('/ratings?vuln=12')
  await waitFor(() => expect(vectorShown()).toBe(log4shell))
  await waitFor(() => expect(score()).toBe('Global score 89 of 100, Critical'))
  expect(screen.getByRole('link', { name: 'Back to PH-12' }).getAttribute('href')).toBe('/vulns/12')
  expect(await screen.findByText('9.3 base, 9.3 temporal')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Its own vector' })).toBeNull()

  choose('Criticality', /High/)
  await waitFor(() => expect(server.to('/api/ratings/calc/12').at(-1)?.query.get('criticality')).toBe('H'))
  press('Its own vector')
  await waitFor(() => expect(vectorShown()).toBe(own.vector))
  await waitFor(() => expect(chosen('Criticality')).toEqual(['Not set']))
  expect(screen.queryByRole('button', { name: 'Its own vector' })).toBeNull()
})

test('an unscored vulnerability says so', async () => {
  const nothing = { vector: '', score: null, score_details: null, cvssV2adj: null, cvssv2adj: null }
  showRatings('/ratings?vuln=12', {
    'GET /api/ratings/calc/12': () => ({ body: { ...own, ...nothing } }),
    'GET /api/ratings/vector/12': () => ({ body: null }),
  })
  expect(await screen.findByText(/this is the default rating/)).toBeTruthy()
  expect(score()).toBe('Global score 23 of 100, Low')
})

const refuse = () => ({ status: 400, body: { code: 'no', message: 'No' } })
test.each([
  ['/ratings', 'GET /api/ratings/metrics', 'unable to get metrics values'],
  ['/ratings?vuln=12', 'GET /api/ratings/vector/12', 'Unable to get Vuln Vector'],
  ['/ratings?vector=W:Y&vuln=12', 'GET /api/ratings/calc/12', 'Unable to get vuln ratings'],
])('at %s a failure of %s is told, and one can rate all the same', async (address, call, message) => {
  showRatings(address, { [call]: refuse })
  expect(await screen.findByText(message)).toBeTruthy()
  choose('Exposure', /External/)
  expect(score()).toMatch(/^Global score \d+/)
})

test('each choice tells what it weighs', async () => {
  showRatings()
  expect(await screen.findByRole('radio', { name: 'Public weighs 3' })).toBeTruthy()
  expect(screen.getByRole('checkbox', { name: 'In the wild Yes weighs 0.66' })).toBeTruthy()
  expect(screen.getByRole('radio', { name: 'Adjacent weighs 0.646' })).toBeTruthy()
  expect(screen.getAllByText(/Up to 15 weighs 0.25, up to 45 weighs 0.33, longer weighs 0.5/)).toHaveLength(2)
})

test('the state makes of any text and click what the rating function makes of the vector', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('H', 'L', undefined), (text, letter) => {
      openVector(text)
      const vector = setMetric('Cr', letter)
      expect(vector.includes('Cr:')).toBe(letter !== undefined)
      expect(computeRating(vector).score).toBeGreaterThanOrEqual(0)
    }),
  )
  openVector(null)
})
