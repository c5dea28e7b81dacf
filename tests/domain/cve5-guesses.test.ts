import { expect, test } from 'vitest'
import { aCve5 } from '../support/cve5'
import { readCve5 } from '../support/cve5-read'

const ofNobody = (product: string, version = 'n/a') => [
  { vendor: 'n/a', product, versions: [{ status: 'affected', version }] },
]
test.each([
  [
    'CVE-2022-3844, Webmin: the words of its title',
    'VulDB',
    { title: 'Webmin index.cgi cross site scripting', affected: ofNobody('n/a') },
    ['https://vuldb.com/?id.212862'],
    'webmin:webmin',
  ],
  [
    'CVE-2024-24258, freeglut: where its fix was published',
    'mitre',
    { affected: ofNobody('n/a') },
    ['https://github.com/freeglut/freeglut/pull/155'],
    'freeglut:freeglut',
  ],
  [
    'CVE-2020-14383, Samba: the host of a reference',
    'redhat',
    { affected: ofNobody('samba', 'samba 4.11.15, samba 4.12.9') },
    ['https://www.samba.org/samba/security/CVE-2020-14383.html'],
    'samba:samba',
  ],
  [
    'CVE-2022-29470, Dynamic Tuning: who assigned it',
    'intel',
    { affected: ofNobody('Intel DTT Software', 'before version 8.7.10400.15482') },
    ['http://www.intel.com/content/www/us/en/security-center/advisory/intel-sa-00875.html'],
    'intel:dtt_software',
  ],
])('%s may say what a record without a vendor is about', (name, assignerShortName, cna, urls, product) => {
  const [cveId = ''] = name.split(',')
  const raw = aCve5(cveId, { ...cna, references: urls.map((url) => ({ url })) }, [])
  const record = readCve5({ ...raw, cveMetadata: { ...raw.cveMetadata, assignerShortName } })
  expect(record.affected).toEqual([])
  expect(record.guesses?.map((one) => `${one.vendor}:${one.product}`)).toContain(product)
})

test.each([
  ['CVE-2024-1756', 'WooCommerce Customers Manager < 29.8 - Subscriber+ Email Disclosure', 'woocommerce:woocommerce'],
  ['CVE-2024-49309', 'WordPress Digitally theme <= 1.0.8 - Reflected XSS', 'wordpress:wordpress'],
  ['CVE-2024-5199', 'Spotify Play Button <= 1.0 - Contributor+ Stored XSS', 'spotify:spotify'],
  ['CVE-2024-6334', 'Easy Table of Contents < 2.0.67 - Editor+ Stored XSS', 'easy_table_project:easy_table'],
  [
    'CVE-2024-5802',
    'URL Shortener by MyThemeShop <= 1.0.17 - Admin+ Stored XSS',
    'url_shortener_project:url_shortener',
  ],
])('%s, %s: an extension of a product is not %s', (cveId, title, product) => {
  const { guesses = [] } = readCve5(aCve5(cveId, { title, affected: ofNobody('n/a') }, []))
  expect(guesses.map((one) => `${one.vendor}:${one.product}`)).not.toContain(product)
})

test('a name that many give tells no maker (CVE-2023-3811), nor do the advisories of one its product (CVE-2024-46958)', () => {
  const system = { title: 'Hospital Management System patientprofile.php sql injection', affected: ofNobody('n/a') }
  const url = 'https://github.com/nextcloud/security-advisories/security/advisories/GHSA-jjx6-hj75-qg2q'
  const desktop = { affected: ofNobody('n/a'), references: [{ url }] }
  const guessed = [system, desktop].map((cna) => readCve5(aCve5('CVE-2023-3811', cna, [])).guesses ?? [])
  const names = guessed.flat().map((one) => `${one.vendor}:${one.product}`)
  expect(names.filter((name) => /_system:|_system_project:|advisories/.test(name))).toEqual([])
})

test.each([
  ['CVE-2024-1310', 'WooCommerce < 8.6 - Contributor+ Private/Draft Products Access', 'woocommerce:woocommerce'],
  ['CVE-2024-4317', 'PostgreSQL pg_stats_ext lack authorization checks', 'postgresql:postgresql'],
  ['CVE-2024-3641', 'Newsletter Popup <= 1.2 - Stored XSS', 'newsletter_popup_project:newsletter_popup'],
])('%s, %s may be %s', (cveId, title, product) => {
  const { guesses = [] } = readCve5(aCve5(cveId, { title, affected: ofNobody('n/a') }, []))
  expect(guesses.map((one) => `${one.vendor}:${one.product}`)).toContain(product)
})
