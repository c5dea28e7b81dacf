import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  aTrial,
  aBrowserAuthenticator,
  expectSignedIn,
  fillLogin,
  fillRegistration,
  linkTo,
  pressSignOut,
} from '../support/accounts.ts'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { oidcClient, startOidcServer, type OidcServer } from '../support/oidc-server.ts'
import { freePort, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { aCve } from '../support/records.ts'
import { currentCode, password } from '../support/credentials.ts'

let product: Product
let browser: Browser
let mail: MailServer
let oidc: OidcServer
let dns: Awaited<ReturnType<typeof startDnsServer>>
const txt = new Map<string, string>()
const today = new Date().toISOString().slice(0, 19)
const feeds = feedsFolder([aCve('CVE-2026-10001', { published: today, lastModified: today })])

beforeAll(async () => {
  if (!hasBrowser) return
  const port = await freePort()
  mail = await startMailServer()
  dns = await startDnsServer(txt)
  oidc = await startOidcServer(`http://localhost:${port}/sso`)
  product = await startProduct({ feeds: feeds.folder, port, env: { SMTP_URL: mail.url, DNS_RESOLVER: dns.url } })
  await untilFeeds(product.url, (all) => [...all.values()].every(({ last_success }) => last_success !== null), 120)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
  await mail?.close()
  await dns?.close()
})

/** A browser of somebody's own. */
async function aPage(path = '/auth') {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(product.url + path)
  return page
}

async function aSignedInPage(username: string, org_name: string) {
  const page = await aPage()
  await fillLogin(page, username)
  await expectSignedIn(page, username, org_name)
  return page
}

const openSettings = (page: Page, tab = '') => page.goto(`${product.url}/settings${tab && `?tab=${tab}`}`)
const dialog = (page: Page) => page.getByRole('dialog')

test.skipIf(!hasBrowser)('a trial: from the public page over the mail to the first steps', async () => {
  const page = await aPage()
  await page.getByRole('link', { name: 'Start a free 14-day trial' }).click()
  await page.getByLabel('E-mail', { exact: true }).fill('tina@initech.test')
  await page.getByLabel('Organization').fill('Initech')
  await page.getByRole('button', { name: 'Start the trial' }).click()
  await expectPage(page.getByText('Check your mailbox')).toBeVisible()

  await page.goto(await linkTo(mail, 'tina@initech.test', /trial/))
  await expectPage(page).toHaveURL(/\/trial$/)
  await expectPage(page.getByLabel('E-mail', { exact: true })).toHaveValue('tina@initech.test')
  await fillRegistration(page, 'tina')
  await page.getByRole('button', { name: 'Start the trial' }).click()

  await expectPage(page).toHaveURL(/\/homepage\?firststeps=1/)
  await expectSignedIn(page, 'tina', 'Initech')
  await expectPage(page.getByLabel('Trial', { exact: true })).toContainText('Your trial ends in 14 days')
  const steps = dialog(page)
  await steps.getByRole('button', { name: 'Next' }).click()
  await steps.getByLabel('Search products').fill('widg')
  await steps.getByRole('checkbox', { name: /widget/i }).click()
  await steps.getByRole('button', { name: 'Next' }).click()
  await expectPage(steps.getByRole('textbox', { name: 'Contact e-mail 1' })).toHaveValue('tina@initech.test')
  await steps.getByRole('button', { name: 'Next' }).click()
  await expectPage(steps.getByText(/You now monitor .*Widget/)).toBeVisible()
  await steps.getByRole('button', { name: 'Close' }).last().click()
  await expectPage(page).toHaveURL(/\/homepage$/)
  await expectPage(page.getByRole('row').filter({ hasText: 'CVE-2026-10001' }).first()).toBeVisible()
  await page.close()
})

test.skipIf(!hasBrowser)('an invitation: register, switch on the second factor, sign in with a code', async () => {
  const owner = await aTrial(product, mail, { username: 'olga', org_name: 'Hooli' })
  const admins = await aSignedInPage(owner.username, owner.org_name)
  await openSettings(admins, 'orgs')
  await admins.getByRole('button', { name: 'Invite users' }).click()
  await dialog(admins).getByLabel('E-mail addresses').fill('ivan@hooli.test')
  await dialog(admins).getByRole('button', { name: 'Invite' }).click()
  await expectPage(admins.getByText('Invitation(s) successfuly sent to valid email addresses.')).toBeVisible()
  await admins.close()

  const page = await aPage()
  await page.goto(await linkTo(mail, 'ivan@hooli.test', /invited to Hooli/))
  await expectPage(page).toHaveURL(/\/registration$/)
  await expectPage(page.getByLabel('E-mail', { exact: true })).toHaveValue('ivan@hooli.test')
  await fillRegistration(page, 'ivan')
  await page.getByRole('button', { name: 'Register' }).click()
  await expectPage(page).toHaveURL(/\/auth/)
  await fillLogin(page, 'ivan')
  await expectSignedIn(page, 'ivan', 'Hooli')

  await openSettings(page)
  await page.getByRole('button', { name: 'Enable MFA' }).click()
  const key = dialog(page).locator('code')
  await expectPage(key).toBeVisible()
  const secret = (await key.textContent()) ?? ''
  await typeCode(page, dialog(page), currentCode(secret))
  await expectPage(page.getByText('OTP Correct')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Enable' }).click()
  await expectPage(dialog(page).getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10)
  await dialog(page).getByRole('button', { name: 'I have saved them' }).click()
  await pressSignOut(page)

  await fillLogin(page, 'ivan')
  await expectPage(page.getByRole('heading', { name: 'Second step' })).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await fillLogin(page, 'ivan')
  await typeCode(page, page, currentCode(secret, 1))
  await expectSignedIn(page, 'ivan', 'Hooli')
  await page.close()
})

async function typeCode(page: Page, within: Pick<Page, 'getByLabel'>, code: string) {
  await within
    .getByLabel(/^Digit/)
    .first()
    .click()
  await page.keyboard.type(code)
}

test.skipIf(!hasBrowser)('a lost password is set anew by a mail, and only the new one works', async () => {
  const { username, email, org_name } = await aTrial(product, mail, { username: 'rosa', org_name: 'Globex' })
  const page = await aPage()
  await page.getByRole('link', { name: 'Lost password?' }).click()
  await page.getByLabel('E-mail', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await expectPage(page.getByText('You will receive an email')).toBeVisible()

  const changed = 'Other-Stable-8?'
  await page.goto(await linkTo(mail, email, /new password/))
  await page.getByLabel('Password', { exact: true }).fill(changed)
  await page.getByLabel('Password again', { exact: true }).fill(changed)
  await page.getByRole('button', { name: 'Set the new password' }).click()
  await expectPage(page.getByText('Your password has been successfully changed !')).toBeVisible()
  await expectPage(page).toHaveURL(/\/auth/)

  await fillLogin(page, username, password)
  await expectPage(page.getByRole('dialog').getByText('Wrong username or password')).toBeVisible()
  await fillLogin(page, username, changed)
  await expectSignedIn(page, username, org_name)
  await page.close()
})

const passkeyOptions = '**/api/public/passkeys/options'

/**
 * A touch answers the next request. The offer in the username field is one, too: on a slow line its options come after those
 * of the button that is pressed, and it must not withdraw the button's question.
 */
async function signOutAndTouch(page: Page, authenticator: Awaited<ReturnType<typeof aBrowserAuthenticator>>) {
  const offered = page.waitForRequest(passkeyOptions)
  const isAsked = Promise.withResolvers<void>()
  await page.route(passkeyOptions, (route) => isAsked.promise.then(() => route.continue()), { times: 1 })
  await pressSignOut(page)
  const offer = await offered
  await page.evaluate(() => {
    const { credentials } = navigator
    const get = credentials.get.bind(credentials)
    credentials.get = async (options) => {
      // Nobody takes the offer.
      if (options?.mediation === 'conditional') return new Promise(() => undefined)
      const isTouched = new Promise((resolve) => addEventListener('touched', resolve, { once: true }))
      document.documentElement.dataset.asked = ''
      await isTouched
      return get(options)
    }
  })
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.locator('html[data-asked]').waitFor({ state: 'attached' })
  isAsked.resolve()
  await (await offer.response())?.finished()
  await authenticator.touch(true)
  await page.evaluate(() => dispatchEvent(new Event('touched')))
}

test.skipIf(!hasBrowser)('a passkey is added in the settings and signs in without a password', async () => {
  const { username, org_name } = await aTrial(product, mail, { username: 'pablo', org_name: 'Umbrella' })
  const page = await aSignedInPage(username, org_name)
  const authenticator = await aBrowserAuthenticator(page)
  await openSettings(page)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog(page).getByLabel('Name').fill('Laptop')
  await dialog(page).getByRole('button', { name: 'Add' }).click()
  await expectPage(page.getByText('Passkey added')).toBeVisible()
  await expectPage(page.getByRole('button', { name: 'Rename Laptop' })).toBeVisible()
  expect(await authenticator.credentials()).toHaveLength(1)

  // Untouched it stays silent.
  await authenticator.touch(false)
  await signOutAndTouch(page, authenticator)
  await expectSignedIn(page, username, org_name)
  await page.close()
})

test.skipIf(!hasBrowser)('a member of two organizations switches between them', async () => {
  const ours = await aTrial(product, mail, { username: 'sven', org_name: 'Soylent' })
  const theirs = await aTrial(product, mail, { username: 'theo', org_name: 'Tyrell' })
  const admins = await aSignedInPage(theirs.username, theirs.org_name)
  await openSettings(admins, 'orgs')
  await admins.getByRole('button', { name: 'Invite users' }).click()
  await dialog(admins).getByLabel('E-mail addresses').fill(ours.email)
  await dialog(admins).getByRole('button', { name: 'Invite' }).click()
  await linkTo(mail, ours.email, /invited to Tyrell/)
  const pending = admins.getByRole('list', { name: 'Pending invitations' })
  await expectPage(pending.getByText(ours.email)).toBeVisible()

  const page = await aSignedInPage(ours.username, ours.org_name)
  await openSettings(page)
  await page.getByRole('button', { name: 'Accept Tyrell' }).click()
  await expectPage(page.getByText('You are a member now')).toBeVisible()
  await admins.reload()
  await expectPage(admins.getByRole('cell', { name: ours.email })).toBeVisible()
  await expectPage(pending).toHaveCount(0)
  await admins.close()
  await page.getByRole('button', { name: `${ours.username}@${ours.org_name}` }).click()
  const startedAnew = page.waitForEvent('load')
  await page.getByRole('menuitem', { name: 'Tyrell' }).click()
  await startedAnew
  await expectSignedIn(page, ours.username, 'Tyrell')
  await page.reload()
  await expectSignedIn(page, ours.username, 'Tyrell')
  await page.close()
})

test.skipIf(!hasBrowser)('an admin sets a provider, and a colleague signs in there and is known again', async () => {
  const owner = await aTrial(product, mail, { username: 'wanda', org_name: 'Wonka' })
  const admins = await aSignedInPage(owner.username, owner.org_name)
  await openSettings(admins, 'sso')
  await expectPage(admins.getByText(`${product.url}/sso`)).toBeVisible()
  await admins.getByLabel('Issuer').fill(oidc.url)
  await admins.getByLabel('Client id').fill(oidcClient.client_id)
  await admins.getByLabel('Client secret', { exact: true }).fill(oidcClient.client_secret)
  await admins.getByRole('combobox', { name: 'E-mail domains' }).fill('wonka.test')
  await admins.keyboard.press('Enter')
  await admins.getByRole('button', { name: 'Save' }).click()
  await expectPage(admins.getByText('Single sign-on updated')).toBeVisible()
  await admins.getByRole('button', { name: 'Check wonka.test' }).click()
  await expectPage(admins.getByText(/does not hold the expected value yet/).first()).toBeVisible()
  txt.set('_earshot.wonka.test', await admins.getByText(/^earshot-domain-verification=/).innerText())
  await admins.getByRole('button', { name: 'Check wonka.test' }).click()
  await expectPage(admins.getByText('The domain is verified')).toBeVisible()
  await admins.close()

  for (const _ of ['first', 'second']) {
    const page = await aPage()
    await page.getByRole('link', { name: 'Sign in with your company account' }).click()
    await page.getByLabel('E-mail', { exact: true }).fill('carla@wonka.test')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expectSignedIn(page, 'carla', 'Wonka')
    expect(page.url()).not.toContain('code=')
    await page.close()
  }

  const page = await aPage('/sso?code=stolen&state=of-another-browser')
  await expectPage(page.getByText('This sign-in was not started in this browser')).toBeVisible()
  await page.close()
})
