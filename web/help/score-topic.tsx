import { AppLink } from '../ui/app-link'

export const scoreTopic = {
  title: 'What a score is made of',
  words:
    'rating vpr cvss epss kev severity critical high medium low weight sub-score vector provisional ssvc lev composite percentile',
  body: (
    <>
      <p>
        Earshot’s score goes from 0 to 100: from 80 it is critical, from 60 high, from 40 medium, below that low. It is
        the sum of three parts: 12 × vulnerability + 4 × threat + 5 × asset.
      </p>
      <ul>
        <li>
          <strong>Vulnerability</strong>: how it is reached and what it allows (the base metrics of the newest CVSS
          version), whether it is confirmed, whether there is a remedy, and its age.
        </li>
        <li>
          <strong>Threat</strong>: the best known exploit (available, mature, trusted), its age, and whether it is in
          the news or exploited in the wild. A vulnerability that is known to be exploited counts as having a working
          exploit.
        </li>
        <li>
          <strong>Asset</strong>: how critical, exposed and widespread your own system is. In{' '}
          <AppLink to="/ratings">Ratings</AppLink> you enter your own values and see every part.
        </li>
      </ul>
      <p>
        Age has three steps: up to 15 days, up to 45 days, and older. So a score can change although the record does
        not.
      </p>
      <p>
        While there is no CVSS vector, a <strong>provisional</strong> score is shown. It is made of known exploitation,
        ransomware, exploits and EPSS, and is always marked. n/a means that there is no score and no known exploitation,
        which does not mean harmless.
      </p>
      <ul>
        <li>
          <strong>CVSS</strong> is the severity that the publisher or NVD gave, from 0 to 10.
        </li>
        <li>
          <strong>EPSS</strong> is the probability of exploitation within 30 days, estimated by FIRST each day. Its
          percentile is the share of vulnerabilities with a lower one, and keeps its meaning when FIRST changes the
          model.
        </li>
        <li>
          <strong>LEV</strong> (NIST CSWP 41) is how probable it is, at least, that it was exploited since we know its
          EPSS. Where FIRST changed the model meanwhile, it adds up scores of several models, and the page of the
          vulnerability says so. The <strong>composite</strong>, a column and a filter of the list, is the greatest of
          EPSS, LEV, and 100% for KEV. It changes each day, so that no index has it: the list does not sort by it, and
          says how far a filter looked.
        </li>
        <li>
          <strong>KEV</strong> marks what CISA knows to be exploited. A vulnerability that is not listed may still be
          exploited.
        </li>
      </ul>
    </>
  ),
}
