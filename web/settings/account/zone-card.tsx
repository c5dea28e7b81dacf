import { Select } from '@mantine/core'
import { browserZone, chooseZone, findChosenZone } from '../../lib/zone'
import { Card } from '../../ui/card'
import { timeZones } from '../alerts/times'

const asBrowser = ''

export const ZoneCard = () => (
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
