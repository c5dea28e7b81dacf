import { Skeleton, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../ui/loaded'
import classes from '../settings.module.css'
import { profileQuery } from './api'
import { InvitationsCard } from './invitations-card'
import { LeaveCard } from './leave-card'
import { LeaveOrg } from './leave-org'
import { MfaCard } from './mfa-card'
import { PasskeysCard } from './passkeys-card'
import { NoPasswordCard, PasswordCard } from './password-card'
import { ProfileCard } from './profile-card'
import { SessionsCard } from './sessions-card'
import { TokensCard } from './tokens-card'
import { browserZone, chooseZone, findChosenZone } from '../../lib/zone'
import { Card } from '../../ui/card'
import { timeZones } from '../alerts/times'

export const ProfileTab = () => (
  <Loaded query={useQuery(profileQuery)} failed="Unable to get user profile" waiting={waiting}>
    {(profile) => (
      <div className={classes.cards}>
        <InvitationsCard />
        <div className={classes.column}>
          <ProfileCard profile={profile} />
          <MfaCard profile={profile} />
          <SessionsCard />
        </div>
        <div className={classes.column}>
          {profile.has_password ? <PasswordCard username={profile.username} /> : <NoPasswordCard />}
          <PasskeysCard />
          <ZoneCard />
        </div>
        <TokensCard />
        <LeaveCard username={profile.username} />
        <LeaveOrg />
      </div>
    )}
  </Loaded>
)

const waiting = (
  <div className={classes.cards} aria-busy>
    {[320, 320, 160, 160].map((height, index) => (
      <Skeleton key={index} height={height} />
    ))}
  </div>
)

const asBrowser = ''

const ZoneCard = () => (
  <Card title="Time zone">
    <Select
      label="Times are shown in"
      description="Kept in this browser. Reports and quiet hours have zones of their own, in Alerting."
      data={[
        { value: asBrowser, label: `The zone of this device (${browserZone})` },
        ...timeZones.map((value) => ({ value, label: value })),
      ]}
      value={findChosenZone() ?? asBrowser}
      onChange={(zone) => chooseZone(zone || null)}
      searchable
      allowDeselect={false}
      limit={100}
      nothingFoundMessage="No zone has this name"
    />
  </Card>
)
