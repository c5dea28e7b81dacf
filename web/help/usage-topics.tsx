import { AppLink } from '../ui/app-link'

export const monitoringTopic = {
  title: 'Monitoring',
  words: 'watch switch import export csv',
  body: (
    <>
      <p>
        Find what you run under <AppLink to="/vendors">Vendors &amp; Products</AppLink> or{' '}
        <AppLink to="/packages">Packages</AppLink> and switch on Monitored. A vulnerability counts as monitored when you
        watch it directly, or when it affects a product, a package or a vendor that you watch. Its page says through
        which of them.
      </p>
      <p>
        Watching a vendor covers all its products, also those that appear later. Monitoring belongs to the organization:
        everybody in it sees the same. <AppLink to="/monitoring">Monitoring</AppLink> shows all of it, and takes and
        gives it as CSV.
      </p>
      <p>
        A monitored vulnerability has a status: Undefined, In Progress, Fixed or Not Interesting. What is fixed or not
        interesting is no longer alerted. When monitoring is switched off and on, its status starts anew.
      </p>
    </>
  ),
}

export const organizationTopic = {
  title: 'Organizations',
  words: 'team member invite admin switch right role trial',
  body: (
    <>
      <p>
        You may belong to several organizations. The menu at the top right, which reads user@organisation, switches
        between them. What an organization monitors, comments and adds is seen by its members alone.
      </p>
      <p>
        Who manages an organization invites people by mail under{' '}
        <AppLink to="/settings?tab=orgs">Settings → Orgs + Users</AppLink>, and gives the rights to manage it, its
        alerting and its metadata. Nobody removes or demotes themselves, and the last admin stays.
      </p>
    </>
  ),
}

export const alertingTopic = {
  title: 'Alerting',
  words:
    'mail e-mail slack webhook digest report threshold daily weekly monthly notification time zone pdf print unsubscribe quiet held',
  body: (
    <>
      <p>
        When a monitored vulnerability appears or changes, an alert is planned once and delivered to each address and
        channel of the organization. <AppLink to="/alerts">Alerts</AppLink> shows what was sent, what failed and why.
      </p>
      <p>
        <AppLink to="/settings?tab=alerting">Settings → Alerting</AppLink> chooses what is told at once (new, changed,
        exploitable, a score or CVSS above your threshold), what comes as a daily, weekly or monthly report, and to
        whom. The test mail shows whether your mailbox takes it.
      </p>
      <p>
        <strong>Reports</strong> come at the hour of your organization’s time zone: each day, on Monday, or on the first
        of the month. Each goes on where the one before ended, so that nothing falls between two. It tells what is new
        and what changed by product, what stands open, what you fixed, and what a daily number of alerts held back.
        Several changes of one vulnerability are one row. When there is nothing to tell no mail goes out, unless you ask
        for it. <AppLink to="/reports">Reports</AppLink> keeps them, ready to be printed or saved as PDF: daily ones for
        three months, the others for thirteen.
      </p>
      <p>
        Somebody outside the organization who reads its alert mails leaves by the link at their end, or by the
        unsubscribe button of their mail program.
      </p>
    </>
  ),
}

export const versionTopic = {
  title: 'Versions and verdicts',
  words: 'affected fixed range unknown cannot tell disagree confirmed likely inventory',
  body: (
    <>
      <p>
        Whether a version is affected is evaluated from the ranges that the sources state, each by the order of its
        ecosystem, and the answer names who said so. <strong>Confirmed</strong> is what a source states of that very
        version; <strong>likely</strong> follows from less, for instance from a default.
      </p>
      <p>
        <strong>Cannot tell</strong> means that no source covers the version, or that it or a range cannot be read. It
        is never shown as “not affected”. Where sources <strong>disagree</strong> both are shown.
      </p>
      <p>
        <strong>Fixed in</strong> stands only where a source states a fix. What follows from “below X” is the{' '}
        <strong>first version not listed as affected</strong>: it may be fixed, or nobody looked.
      </p>
    </>
  ),
}
