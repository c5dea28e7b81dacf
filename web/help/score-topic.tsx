import { AppLink } from '../ui/app-link'

export const scoreTopic = {
  title: 'What a score is made of',
  words: 'rating vpr cvss epss kev severity critical high medium low weight sub-score vector provisional ssvc',
  body: (
    <>
      <p>
        The score is ours, from 0 to 100: 80 and above is critical, 60 high, 40 medium, below that low. It adds three
        parts: 12 × vulnerability + 4 × threat + 5 × asset.
      </p>
      <ul>
        <li>
          <strong>Vulnerability</strong>: how it is reached and what it lets one do (the base metrics of the newest CVSS
          version that somebody gave), whether it is confirmed, how it can be remedied, and its age.
        </li>
        <li>
          <strong>Threat</strong>: the best known exploit (available, mature, trusted), its age, and whether it is in
          the news or exploited in the wild. What is known to be exploited counts as having a working exploit.
        </li>
        <li>
          <strong>Asset</strong>: how critical, exposed and spread your own system is.{' '}
          <AppLink to="/ratings">Ratings</AppLink> takes your own values and shows every part.
        </li>
      </ul>
      <p>
        Ages count up to 15 days, up to 45 days and beyond, so a score may change without anybody changing the record.
      </p>
      <p>
        A <strong>provisional</strong> score stands in while nobody has given a CVSS vector: it follows from known
        exploitation, ransomware, exploits and EPSS, is marked wherever it stands, and the rating replaces it. n/a means
        that nobody has scored it and nothing is known of exploitation, which is not the same as harmless.
      </p>
      <ul>
        <li>
          <strong>CVSS</strong> is the severity that the publisher or NVD gave, from 0 to 10.
        </li>
        <li>
          <strong>EPSS</strong> is the probability of exploitation within 30 days, estimated by FIRST each day.
        </li>
        <li>
          <strong>KEV</strong> marks what CISA knows to be exploited. Not being listed says nothing.
        </li>
      </ul>
    </>
  ),
}
