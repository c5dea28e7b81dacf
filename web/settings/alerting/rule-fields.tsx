import { NativeSelect, NumberInput, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CvssThreshold, describeRule, ruleNames, ScoreThreshold } from '../../../worker/domain/alerts/alert-rules'
import type { AlertRule } from '../../../worker/domain/alerts/alert-rules'
import { epssMarks, usualMark } from '../../../worker/domain/scores/epss'
import classes from './alerting.module.css'

/** As the screen lists them. */
const shownRules = [
  'new',
  'updated',
  'malicious',
  'exploitable',
  'kev',
  'fix',
  'due',
  'cra',
  'score',
  'cvss3',
  'cvss',
  'epss',
] as const satisfies AlertRule[]

const thresholds = {
  score: { label: 'Score from', max: 100, step: 1 },
  cvss: { label: 'CVSS v2 from', max: 10, step: 0.1 },
  cvss3: { label: 'CVSS v3 from', max: 10, step: 0.1 },
} as const
type Threshold = keyof typeof thresholds
const isThreshold = (rule: AlertRule): rule is Threshold => rule in thresholds

export type RuleNames = Record<AlertRule, string> & { end_of_life: string; values: Record<Threshold | 'epss', string> }

export const channelRuleNames: RuleNames = {
  new: 'on_new',
  updated: 'on_update',
  exploitable: 'on_exploitable',
  kev: 'on_kev',
  fix: 'on_fix',
  malicious: 'on_malicious',
  cleared: 'on_malicious',
  due: 'on_due',
  overdue: 'on_due',
  cra: 'on_cra',
  end_of_life: 'on_end_of_life',
  score: 'on_score',
  cvss: 'on_cvss',
  cvss3: 'on_cvss3',
  epss: 'on_epss',
  values: { score: 'score_value', cvss: 'cvss_value', cvss3: 'cvss3_value', epss: 'epss_value' },
}

export const thresholdRules = ({ values }: RuleNames) => ({
  [values.score]: (value: unknown) => problem(ScoreThreshold, value),
  [values.cvss]: (value: unknown) => problem(CvssThreshold, value),
  [values.cvss3]: (value: unknown) => problem(CvssThreshold, value),
})

const problem = (schema: typeof ScoreThreshold, value: unknown) =>
  schema.safeParse(value).error?.issues[0]?.message ?? null

const isPercentile = (mark: string) => mark.endsWith('th')
const markChoices = [
  { group: 'Percentile', items: epssMarks.filter(isPercentile).map((mark) => ({ value: mark, label: mark })) },
  {
    group: 'Probability',
    items: epssMarks.filter((mark) => !isPercentile(mark)).map((mark) => ({ value: mark, label: mark })),
  },
]

type Props<Values> = { form: UseFormReturnType<Values>; names: RuleNames }

export function RuleFields<Values extends Record<string, unknown>>({ form, names }: Props<Values>) {
  const numbers = form.values
  const readValue = (rule: Threshold) => Number(numbers[names.values[rule]])
  const epss = epssMarks.find((mark) => mark === numbers[names.values.epss]) ?? usualMark
  const values = { score: readValue('score'), cvss: readValue('cvss'), cvss3: readValue('cvss3'), epss }
  return (
    <div className={classes.rules}>
      {shownRules.map((rule) => (
        <div key={rule} className={classes.rule}>
          <Switch
            label={rule === 'due' ? 'Due tomorrow, and overdue' : ruleNames[rule]}
            description={describeRule(rule, values)}
            {...form.getInputProps(names[rule], { type: 'checkbox' })}
          />
          {isThreshold(rule) && (
            <NumberInput
              aria-label={thresholds[rule].label}
              className={classes.threshold}
              size="xs"
              min={0}
              max={thresholds[rule].max}
              step={thresholds[rule].step}
              clampBehavior="none"
              disabled={!numbers[names[rule]]}
              {...form.getInputProps(names.values[rule])}
            />
          )}
          {rule === 'epss' && (
            <NativeSelect
              aria-label="EPSS from"
              className={classes.threshold}
              size="xs"
              data={markChoices}
              disabled={!numbers[names.epss]}
              {...form.getInputProps(names.values.epss)}
            />
          )}
        </div>
      ))}
      <div className={classes.rule}>
        <Switch
          label="The end of support"
          description="90 and 30 days before the release of something that you run gets no more fixes, and once it ended, in one mail or chat message a day; each once. Versions have to be told."
          {...form.getInputProps(names.end_of_life, { type: 'checkbox' })}
        />
      </div>
    </div>
  )
}
