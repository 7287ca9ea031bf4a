import type { Format } from './format.ts'

/** Chat and observability: who may post, and who may read the logs. */
export const messagingFormats: readonly Format[] = [
  {
    kind: 'slack-token',
    starts: [
      'xoxa-',
      'xoxb-',
      'xoxc-',
      'xoxd-',
      'xoxe-',
      'xoxo-',
      'xoxp-',
      'xoxr-',
      'xoxs-',
      'xoxe.xoxb-',
      'xoxe.xoxp-',
    ],
    body: '[A-Za-z0-9%+/-]{10,}={0,2}',
  },
  { kind: 'slack-token', starts: ['xapp-', 'xwfp-'], body: '[A-Za-z0-9-]{10,}' },
  { kind: 'slack-webhook', starts: ['hooks.slack.com/'], body: '(?:services|workflows|triggers)/[\\w+/-]{24,}' },
  {
    kind: 'discord-webhook',
    starts: ['discord.com/api/', 'discordapp.com/api/', 'discord.com%2Fapi%2F'],
    body: '(?:v\\d{1,2}(?:/|%2F))?webhooks(?:/|%2F)\\d{15,22}(?:/|%2F)[\\w-]{40,}',
  },
  {
    kind: 'lark-webhook',
    starts: ['open.feishu.cn/open-apis/bot/', 'open.larksuite.com/open-apis/bot/'],
    body: '(?:v2/)?hook/[\\w-]{16,}',
  },
  {
    kind: 'teams-webhook',
    starts: ['environment.api.powerplatform.com', 'logic.azure.com'],
    body: '(?::\\d{1,5})?/[\\w/-]{0,120}workflows/[0-9a-f]{32}/triggers/[\\w/-]{1,80}\\?[\\w=&%.~+-]{20,2048}',
  },
  { kind: 'zapier-webhook', starts: ['hooks.zapier.com/hooks/catch/'], body: '[\\w/-]{12,}' },
  { kind: 'teams-webhook', starts: ['webhook.office.com/webhookb2/'], body: '[\\w@/-]{40,}' },
  { kind: 'grafana-token', starts: ['glc_'], body: '[A-Za-z0-9+/]{32,}={0,3}' },
  { kind: 'grafana-token', starts: ['glsa_'], body: '[A-Za-z0-9]{32}_[0-9a-fA-F]{8}' },
  { kind: 'grafana-key', starts: ['eyJrIjoi'], body: '[A-Za-z0-9+/_-]{60,}={0,3}' },
  { kind: 'sentry-token', starts: ['sntrys_'], body: '[A-Za-z0-9+/=_-]{40,}' },
  { kind: 'sentry-token', starts: ['sntryu_'], body: '[0-9a-f]{40,}' },
  { kind: 'newrelic-key', starts: ['NRAK-', 'NRJS-', 'NRII-', 'NRIQ-'], body: '[A-Za-z0-9_-]{19,}' },
  { kind: 'dynatrace-token', starts: ['dt0c01.', 'dt0s01.', 'dt0s16.'], body: '[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}' },
  { kind: 'pganalyze-key', starts: ['pgar_'], body: '[A-Za-z0-9]{24,}' },
  { kind: 'posthog-key', starts: ['phx_'], body: '[A-Za-z0-9]{40,}' },
  { kind: 'mapbox-token', starts: ['sk.eyJ'], body: '[\\w-]{30,}(?:\\.[\\w-]+)?' },
  { kind: 'zoho-token', starts: ['1000.'], body: '[0-9a-f]{32}\\.[0-9a-f]{32}' },
]
