import { Code } from '@mantine/core'
import { AppLink } from '../ui/app-link'

export const monitoringTopic = {
  title: 'Monitoring',
  words: 'end of life support eol watch switch import export csv due overdue deadline BOD 26-04 KEV publicly exposed',
  body: (
    <>
      <p>
        Find what you run under <AppLink to="/vendors">Vendors &amp; Products</AppLink> or{' '}
        <AppLink to="/packages">Packages</AppLink> and switch on Monitored. A vulnerability counts as monitored when you
        monitor it directly, or when it affects a product, a package or a vendor that you monitor. Its page shows
        through which of them.
      </p>
      <p>
        To monitor a vendor covers all its products, including those that are added later. Everybody in an organization
        monitors the same items. <AppLink to="/monitoring">Monitoring</AppLink> lists all of them, and imports and
        exports them as CSV.
      </p>
      <p>
        A monitored vulnerability has a status: Undefined, In Progress, Fixed or Not Interesting. A vulnerability that
        is fixed or not interesting is no longer alerted. When you switch monitoring off and on again, the status is
        reset.
      </p>
      <p>
        <strong>Due dates</strong> follow the policy that your organization chose under{' '}
        <AppLink to="/settings?tab=orgs">Settings → Orgs + Users</AppLink>: the day in CISA’s KEV (the first choice),
        CISA’s directive BOD 26-04, a table of your own by severity and exposure, or none. The directive gives 3 days
        (with or without forensic triage), 14 days, 60 days or the next upgrade, by KEV, whether the public reaches the
        asset, whether attacks can be automated, and technical impact. Say “publicly exposed” at a group, an item or an
        inventory; while nobody said, the shorter time counts, and the page of a vulnerability says so. Days count from
        when your organization could first know of it. A day ends by the time zone of your reports. Lists take{' '}
        <Code>due&lt;7d</Code> and <Code>overdue</Code>, and the alert rule “Due tomorrow, and overdue” tells of each
        due day once.
      </p>
      <p>
        <strong>End of support.</strong> endoflife.date says until when releases get fixes. For versions that you told,
        and for components and distributions of inventories, the alert rule “The end of support” tells by mail and chat
        90 and 30 days before, and once it ended; upgrade advice says which release to go to. Lists of items and
        components have a column and a filter. Where nobody lists the releases, nobody can tell: that is not the same as
        supported. Some products have no identifier there: the operator confirms by name what they are here.
      </p>
      <p>
        <strong>CRA clocks.</strong> Say “We make this” at an inventory of a product that you sell. When a catalogue
        calls a vulnerability exploited that is or may be in it, a clock starts within a minute: early warning within 24
        hours, notification within 72, final report 14 days after a fix. <AppLink to="/cra">CRA clocks</AppLink> shows
        what is left, takes notes of who reported what and when, and gives evidence to print or as JSON. The alert rule
        “A report of the CRA” tells when a clock starts, before each report is due (6, 24 and 72 hours) and once it is
        overdue. It is not legal advice.
      </p>
    </>
  ),
}

export const organizationTopic = {
  title: 'Organizations',
  words: 'team member invite admin switch right role trial export import move portability takeout',
  body: (
    <>
      <p>
        You can belong to several organizations. The menu at the top right, user@organisation, switches between them.
        Only its members see what an organization monitors, comments and adds.
      </p>
      <p>
        Those who manage an organization invite people by mail under{' '}
        <AppLink to="/settings?tab=orgs">Settings → Orgs + Users</AppLink>, and give them the right to manage it, its
        alerting or its metadata. You cannot remove or demote yourself, and the last admin cannot be removed.
      </p>
      <p>
        An admin takes the organization to another Earshot, as from a trial to an installation of one’s own:{' '}
        <strong>Export</strong> there makes one file, which <strong>Import</strong> adds to what is here, as often as
        you like. People are matched by their addresses; comments keep the names of their authors as text. People,
        secrets and logs never travel. Lines that cannot be brought are told one by one.
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
        When a monitored vulnerability appears or changes, an alert is created once and sent to each address and channel
        of the organization. <AppLink to="/alerts">Alerts</AppLink> shows what was sent, what failed and why.
      </p>
      <p>
        <AppLink to="/settings?tab=alerting">Settings → Alerting</AppLink> decides what is alerted at once (new,
        changed, exploitable, a score or CVSS above your threshold), what comes in a daily, weekly or monthly report,
        and who gets it. A test mail shows whether your mailbox accepts it.
      </p>
      <p>
        <strong>Reports</strong> are sent at the chosen hour in your organization’s time zone: each day, on Monday, or
        on the first of the month. Each starts where the last one ended, so nothing is left out. It lists what is new
        and what changed by product, what is open, what you fixed, and alerts above a channel’s daily number, which
        holds back nothing urgent (CISA KEV, a first exploit, your thresholds), unless the mails of one day tell of more
        than 2,000 vulnerabilities (on trial 200). Several changes of one vulnerability are one row. When there is
        nothing to report, no mail is sent unless you choose so. <AppLink to="/reports">Reports</AppLink> keeps them, to
        print or save as PDF, for 13 months.
      </p>
      <p>
        A receiver is at a public address, over https at port 443 or 8443. Those who run an Earshot of their own list
        other ports as <code>OUTGOING_HOSTS</code>, and hosts and networks of theirs, which may then be reached over
        http, too, as <code>LOCAL_CHANNELS</code> (<code>soar.lan 10.2.0.0/16</code>).
      </p>
      <p>
        People outside the organization who get its alert mails can unsubscribe with the link at the end of each mail,
        or with the button of their mail program.
      </p>
    </>
  ),
}

export const versionTopic = {
  title: 'Versions and verdicts',
  words: 'affected fixed range unknown disagree confirmed likely inventory',
  body: (
    <>
      <p>
        Earshot compares a version with the ranges that the sources give, by the rules of its ecosystem, and names the
        source. <strong>Confirmed</strong> means that a source names the version, or that its ranges and the version
        follow one exact order; <strong>likely</strong> means that it follows from something weaker: an order that is
        guessed, the version that a distribution’s build is made of, or sources that disagree.
      </p>
      <p>
        <strong>Unknown</strong> means that no source covers the version, or that the version or a range cannot be read.
        It is never shown as “not affected”. The order of <strong>Conan</strong> and <strong>Gentoo</strong> versions is
        not known here: of these Earshot judges only a version that a source names, and of all others it cannot tell.
        Where sources <strong>disagree</strong>, both answers are shown.
      </p>
      <p>
        <strong>Fixed in</strong> is shown only where a source names a fix. A range “below X” gives only the{' '}
        <strong>first version not listed as affected</strong>: it may be fixed, or not examined.
      </p>
    </>
  ),
}
