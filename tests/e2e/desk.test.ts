import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkTo } from '../support/accounts.ts'
import { expectPage, hasBrowser } from '../support/browser.ts'
import { knownCve, middle, single } from '../support/desk-feeds.ts'
import { admin } from '../support/product.ts'
import { aColleague, openPage, openSignedIn, row, startDesk, tabTo, type Desk } from './support/desk.ts'

let desk: Desk

beforeAll(async () => {
  if (hasBrowser) desk = await startDesk()
})
afterAll(() => desk?.close())

test.skipIf(!hasBrowser)('an analyst triages by keyboard alone, from the list to a comment and back', async () => {
  const { page, errors, close } = await openSignedIn(desk)
  const { keyboard } = page
  await page.goto(`${desk.url}/vulns`)
  await expectPage(row(page, 'CVE-2026-').first()).toBeVisible()

  await keyboard.press('/')
  await expectPage(page.getByLabel('Search vulnerabilities')).toBeFocused()
  await keyboard.type('widget')
  await keyboard.press('Enter')
  await expectPage(row(page, 'CVE-2026-')).toHaveCount(4)
  await keyboard.press('Tab')

  const focused = page.locator('tr:focus')
  for (const [key, at] of [
    ['j', 1],
    ['j', 2],
    ['k', 1],
  ] as const) {
    await keyboard.press(key)
    await expectPage(page.getByRole('row').nth(at)).toBeFocused()
  }
  for (let at = 1; !(await focused.innerText()).includes(middle); at++) {
    expect(at, `${middle} is in the list`).toBeLessThan(5)
    await keyboard.press('j')
  }
  await keyboard.press('m')
  await expectPage(page.getByText('Vulnerability monitoring successfuly updated.')).toBeVisible()
  await expectPage(focused).toContainText('Yes')

  await keyboard.press('Enter')
  await expectPage(page).toHaveURL(/\/vulns\/\d+$/)
  await expectPage(page.getByRole('heading', { level: 1 })).toBeFocused()
  const status = page.getByLabel('Status', { exact: true })
  await tabTo(page, status)
  for (const key of ['ArrowDown', 'Escape']) await keyboard.press(key)
  await expectPage(status).toHaveValue('undefined')
  await keyboard.type('In Progress')
  await expectPage(page.getByText('Status successfuly modified.')).toBeVisible()
  await expectPage(status).toHaveValue('in_progress')
  await expectPage(status).toBeFocused()
  await tabTo(page, page.getByRole('tab', { name: 'Summary' }))
  for (const _ of ['exploits', 'threats', 'comments']) await keyboard.press('ArrowRight')
  const comment = page.getByLabel('Your comment')
  await expectPage(comment).toBeVisible()
  await tabTo(page, comment)
  await keyboard.type('The east gate runs it.')
  await page.route('**/comments', (route) => route.fulfill({ status: 429, json: { message: 'Not now' } }), { times: 1 })
  const post = page.getByRole('button', { name: 'Comment', exact: true })
  await tabTo(page, post)
  await keyboard.press('Enter')
  await expectPage(page.getByText('Not now')).toBeVisible()
  await expectPage(post).toBeFocused()
  await tabTo(page, comment)
  await keyboard.press('Control+Enter')
  await expectPage(page.getByRole('tab', { name: 'Comments (1)' })).toBeVisible()
  await expectPage(page.getByRole('listitem').filter({ hasText: 'The east gate runs it.' })).toContainText(
    admin.username,
  )
  await page.goBack()
  await expectPage(page).toHaveURL(/\/vulns\?search=widget/)
  await expectPage(row(page, middle)).toContainText('Yes')
  await page.goto(`${desk.url}/vulns?q=status:in_progress`)
  await expectPage(page.getByRole('row')).toHaveCount(2)
  await expectPage(row(page, middle)).toBeVisible()
  expect(errors).toEqual([expect.stringContaining('429')])
  await close()
})

test.skipIf(!hasBrowser)('each id of a vulnerability leads to where it is told of', async () => {
  const { page, errors, close } = await openSignedIn(desk)
  await page.goto(`${desk.url}/vulns/${desk.ids.vuln}`)
  for (const [name, url] of [
    ['NVD', `https://nvd.nist.gov/vuln/detail/${knownCve}`],
    ['cve.org', `https://www.cve.org/CVERecord?id=${knownCve}`],
    ['PYSEC-2026-1', 'https://osv.dev/vulnerability/PYSEC-2026-1'],
  ] as const)
    await expectPage(page.getByRole('link', { name, exact: true }).first()).toHaveAttribute('href', url)

  for (const name of [knownCve.toLowerCase(), 'pysec-2026-1', `ph-${desk.ids.vuln}`]) {
    await page.goto(`${desk.url}/vulns`)
    await page.goto(`${desk.url}/vulns/${name}`)
    await expectPage(page).toHaveURL(`${desk.url}/vulns/${desk.ids.vuln}`)
    await page.goBack()
    await expectPage(page).toHaveURL(`${desk.url}/vulns`)
  }
  await page.goto(`${desk.url}/vulns/CVE-2099-10001`)
  await expectPage(page.getByRole('button', { name: 'Monitor it when it appears' })).toBeVisible()
  expect(errors).toEqual([])
  await close()
})

test.skipIf(!hasBrowser)('a query is mended where it is wrong, saved, shared, and opened by a colleague', async () => {
  const { page, errors, close } = await openSignedIn(desk)
  await page.goto(`${desk.url}/vulns`)
  await page.getByRole('link', { name: 'Help: how to search' }).click()
  const help = page.getByRole('heading', { name: 'Query language' })
  const top = async () => (await help.boundingBox())?.y ?? 0
  const bar = await page.getByRole('banner').boundingBox()
  await expectPage.poll(top).toBeLessThan(150)
  expect(await top()).toBeGreaterThanOrEqual(bar?.height ?? Infinity)
  await page.goBack()
  const query = page.getByRole('combobox', { name: 'Search vulnerabilities' })
  await query.fill('cvss3>=9 AND (vendr:acme OR kev)')
  await expectPage(page.getByRole('alert')).toContainText('There is no field vendr (did you mean vendor?) at 15')
  await expectPage(page.getByRole('alert').locator('mark')).toHaveText('vendr')
  await query.press('Enter')
  await expectPage(page).not.toHaveURL(/q=/)

  await query.fill('cvss3>=9 AND (vendor:acme OR kev)')
  await query.press('Enter')
  await expectPage(page.getByRole('alert')).toHaveCount(0)
  await expectPage(page.getByRole('row')).toHaveCount(2)
  await expectPage(row(page, knownCve)).toBeVisible()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByLabel('Name').fill('Burning')
  await dialog.getByRole('switch', { name: 'Share it with the organization' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectPage(page.getByText('View saved.')).toBeVisible()
  await page.getByRole('button', { name: 'Burning' }).click()
  await page.getByRole('menuitem', { name: 'Manage my views…' }).click()
  await page.getByLabel('Name of Burning').fill('On fire')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove On fire' }).click()
  await expectPage(page.getByRole('dialog', { name: 'Remove On fire?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expectPage(page.getByRole('button', { name: 'Remove On fire' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expectPage(page.getByRole('button', { name: 'On fire' })).toBeFocused()
  expect(errors).toEqual([])
  await close()

  const colleague = await openSignedIn(desk, await aColleague(desk, 'carla'))
  await colleague.page.goto(`${desk.url}/vulns`)
  await colleague.page.getByRole('button', { name: 'Views' }).click()
  await colleague.page.getByRole('menuitem', { name: `On fire ${admin.username}` }).click()
  await expectPage(colleague.page.getByRole('combobox', { name: 'Search vulnerabilities' })).toHaveValue(
    'cvss3>=9 AND (vendor:acme OR kev)',
  )
  await expectPage(colleague.page.getByRole('row')).toHaveCount(2)
  await expectPage(row(colleague.page, knownCve)).toBeVisible()
  expect(colleague.errors).toEqual([])
  await colleague.close()
})

test.skipIf(!hasBrowser)(
  'a score is taken apart on the ratings, and what one changes there stays in the address',
  async () => {
    const { page, errors, close } = await openSignedIn(desk)
    await page.goto(`${desk.url}/vulns/${desk.ids.vuln}`)
    await page.getByRole('link', { name: 'See how it is rated' }).click()
    await expectPage(page).toHaveURL(/\/ratings\?vector=/)
    const score = page.getByRole('status', { name: /Global score/ })
    const asset = page.getByRole('img', { name: /^Asset: / })
    const [before, assetBefore] = [await score.getAttribute('aria-label'), await asset.getAttribute('aria-label')]

    const choices = [
      ['Exposure', 'Restricted'],
      ['Exposure', 'External'],
    ] as const
    const seen = new Set([page.url()])
    for (const [name, choice] of choices) {
      await page.getByRole('radiogroup', { name }).getByText(choice, { exact: true }).click()
      await expectPage.poll(() => seen.has(page.url())).toBe(false)
      seen.add(page.url())
    }
    await expectPage(asset).not.toHaveAttribute('aria-label', assetBefore ?? '')
    const after = await score.getAttribute('aria-label')
    expect(after).not.toBe(before)

    await page.reload()
    await expectPage(score).toHaveAttribute('aria-label', after ?? '')
    await expectPage(page.getByRole('radiogroup', { name: 'Exposure' }).getByLabel('External')).toBeChecked()
    expect(errors).toEqual([])
    await close()
  },
)

test.skipIf(!hasBrowser)(
  'a visitor reads the public page, subscribes by its dialog, confirms, and leaves again',
  async () => {
    const { page, errors, close } = await openPage(desk.browser)
    await page.goto(`${desk.url}/public/vulns/${desk.ids.vuln}`)
    const data = await page.locator('script[type="application/ld+json"]').textContent()
    expect(JSON.parse(data ?? '')).toMatchObject({
      '@type': 'TechArticle',
      identifier: [`PH-${desk.ids.vuln}`, knownCve],
      keywords: expect.arrayContaining([knownCve, 'CWE-79', 'widget']),
    })
    await expectPage(page.locator('meta[property="og:title"]')).toHaveAttribute('content', new RegExp(knownCve))

    const dialog = page.getByRole('dialog', { name: 'Newsletter' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Subscribe' }).click()
    const email = dialog.getByLabel('E-mail')
    await email.fill('reader at example.org')
    await email.blur()
    await expectPage(dialog.getByText('E-mail must be valid')).toBeVisible()
    await expectPage(dialog.getByRole('button', { name: 'Subscribe' })).toBeDisabled()
    await email.fill('visitor@example.org')
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await expectPage(page.getByText('Subscription proceed. Thank you !')).toBeVisible()

    await page.goto(await linkTo(desk.mail, 'visitor@example.org', /Confirm/))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expectPage(page.getByRole('heading', { name: 'You are subscribed' })).toBeVisible()

    const text = desk.mail.mails.findLast(({ to }) => to.includes('visitor@example.org'))?.text
    await page.goto(/http\S+\/public\/newsletter\/unsubscribe\/[\w-]+/.exec(text ?? '')?.[0] ?? '')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await expectPage(page.getByRole('heading', { name: 'You are unsubscribed' })).toBeVisible()
    expect(errors).toEqual([])
    await close()
  },
)

test.skipIf(!hasBrowser)('a version of a product shows what affects it alone, until it is reset', async () => {
  const { page, errors, close } = await openSignedIn(desk)
  await page.goto(`${desk.url}/product/${desk.ids.product}`)
  const shown = async () => {
    const texts = await page.getByRole('table', { name: 'Vulnerabilities' }).getByRole('row').allInnerTexts()
    return [knownCve, middle, single].filter((cveid) => texts.some((text) => text.includes(cveid)))
  }
  const chip = (version: string) =>
    page.getByRole('group', { name: 'Known versions' }).getByRole('button', { name: version, exact: true })
  await expectPage.poll(shown).toEqual([knownCve, middle, single])

  await chip('2.0').click()
  await expectPage(page).toHaveURL(/product_version=2.0/)
  await expectPage.poll(shown).toEqual([middle])
  await chip('1.4').click()
  await expectPage.poll(shown).toEqual([knownCve, single])
  await expectPage(chip('1.4')).toHaveAttribute('aria-pressed', 'true')
  await page.reload()
  await expectPage.poll(shown).toEqual([knownCve, single])
  await page.getByRole('button', { name: 'Reset the version' }).click()
  await expectPage(page).not.toHaveURL(/product_version/)
  await expectPage.poll(shown).toEqual([knownCve, middle, single])
  expect(errors).toEqual([])
  await close()
})

test.skipIf(!hasBrowser)('each list and page of the knowledge base shows what its sources say', async () => {
  const { page, errors, close } = await openSignedIn(desk)
  for (const [path, text] of [
    [`/vendor/${desk.ids.vendor}`, middle],
    ['/packages', 'acme-widget'],
    [`/packages/${desk.ids.package}`, knownCve],
    ['/kb/bulletins', 'ACSA-26-001'],
    [`/kb/bulletins/${desk.ids.bulletin}`, knownCve],
    ['/kb/cves', 'CVE-2026-20008'],
    ['/exploits', knownCve],
    ['/search/widget', single],
    ['/settings?tab=sync', 'CISA KEV'],
  ] as const) {
    await page.goto(desk.url + path)
    await expectPage(page.getByRole('main').getByText(text).first()).toBeVisible()
  }
  expect(errors).toEqual([])
  await close()
})

test.skipIf(!hasBrowser)('columns and the height of rows are chosen, and stay chosen', async () => {
  const { page, close } = await openSignedIn(desk)
  const [rows, metadata] = [row(page, 'CVE-2026-'), page.getByRole('columnheader', { name: /^Metadata/ })]
  await page.goto(`${desk.url}/vulns`)
  await expectPage(metadata).toBeVisible()
  const tall = (await rows.first().boundingBox())?.height ?? 0
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Metadata').click()
  await page.getByLabel('Composite').click()
  await page.getByLabel('Rows of one line').click()
  await expectPage(metadata).toHaveCount(0)
  await page.reload()
  await expectPage(rows.first()).toBeVisible()
  expect(await metadata.count()).toBe(0)
  await expectPage(page.getByRole('columnheader', { name: 'Composite' })).toBeVisible()
  expect((await rows.first().boundingBox())?.height).toBeLessThan(tall)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Usual columns' }).click()
  await expectPage(metadata).toBeVisible()
  await close()
})
