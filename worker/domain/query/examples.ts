/** Queries that help shows, and what they mean. */
export const queryExamples: [query: string, meaning: string][] = [
  ['kev', 'Listed by CISA as exploited'],
  [
    'exploited by:eu -kev',
    'Called exploited by the EU’s catalogue, and not by CISA’s; also circl, vulncheck, other, any',
  ],
  ['cvss3>=9 AND NOT status:fixed', 'Critical, and not marked as fixed by your organization'],
  ['(vendor:apache OR vendor:nginx) epss>0.5', 'One of two vendors, with a high EPSS: AND can be left out'],
  ['vendor:apache -kev', 'Not in KEV: a minus before a condition is NOT'],
  ['"remote code" published<=30d', 'Contains this phrase, published within the last 30 days'],
  ['published:2024 score>=80', 'Published in that year; a month is 2024-05'],
  ['published:2024..2025 epss:10%..50%', 'From the one to the other, ends included'],
  [
    'percentile>=95%',
    'An EPSS among the highest twentieth: a percentile keeps its meaning when FIRST changes its model',
  ],
  ['composite>=50%', 'The greatest of EPSS, LEV (of all EPSS models since), and 100% for KEV'],
  ['severity:critical -fixable', 'Critical, and no source tells where the affected versions end'],
  ['affects:yes (ransomware OR overdue)', 'Affects a version that you run, and is urgent'],
  ['advisory:RHSA-2024:1234', 'A source names this advisory: of Red Hat, Microsoft, Cisco, Ubuntu and others'],
  ['monitored updated>=today', 'Monitored by you, and changed today (UTC)'],
  ['due<=7d NOT status:fixed', 'Due within 7 days, and you have not called it fixed'],
  ['monitored due<today', 'Monitored by you, and overdue'],
  ['cpe:"cpe:2.3:a:openssl:openssl:1.0.1f"', 'Affects this version, also within a range'],
]

/** Suggestion of the empty search box of the list. */
export const boxExample = 'cvss3>=9 AND vendor:apache'
