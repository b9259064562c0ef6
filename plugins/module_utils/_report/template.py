# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages as Jinja templates; everything that is filled in is escaped."""

from __future__ import annotations

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="streamsafe.kafka_dr">
<link rel="icon" href="data:,">
<title>{{ title }}</title>
<style>{{ css | safe }}</style>
</head>
<body>
<main>
"""

MACROS = """
{%- macro chart(drawn, unit) -%}
<div role="img" aria-label="{{ drawn.series | map(attribute='name') | join(', ') }} over time">{{ over_time(drawn) |
safe }}</div>
<p class="legend">
{% for one in drawn.series %}<span><svg width="26" height="8" style="display:inline-block;width:26px"
aria-hidden="true">
<line class="line-{{ loop.index0 }}" x1="0" x2="26" y1="4" y2="4"/></svg>
{{ one.name }}, at most {{ one.peak | number }} {{ unit }}</span>{% endfor %}
{% for one in drawn.marks %}<span><svg width="8" height="12" style="display:inline-block;width:8px" aria-hidden="true">
<line class="mark-{{ loop.index0 % 2 }}" x1="4" x2="4" y1="0" y2="12"/></svg>
{{ one.label }}, {{ one.at }} s</span>{% endfor %}
{% if drawn.cut %}<span>what is higher than {{ drawn.top | number }} is cut off</span>{% endif %}</p>
{%- endmacro -%}

{%- macro lanes(part) -%}
{% for side in ("source", "target") if part.lanes %}
<svg class="lane" height="11" role="img" aria-label="{{ side }}">
<rect class="fill-none" x="0" y="0" width="100%" height="11"/>
{% for run in part.lanes[side] %}<rect class="fill-{{ run.tone }}" x="{{ run.x }}%" y="0" width="{{ run.width }}%"
height="11"/>{% endfor %}
</svg>{% endfor %}
{%- endmacro -%}

{%- macro partition(part) -%}
<div class="part"><div>partition {{ part.partition }}<br><span class="word {{ part.tone }}">{{ part.verdict |
replace("_", " ") }}</span></div>
<div>{{ lanes(part) }}
<span class="small">source {{ part.source_range[0] }} to {{ part.source_range[1] }}: {{ part.records_source | number
}} records ·
target {{ part.target_range[0] }} to {{ part.target_range[1] }}: {{ part.records_target | number }} records
{%- for kind, count in part.counts %} · <b>{{ count | number }} {{ kind | replace("_", " ") }}</b>{% endfor %}</span>
{% for one in part.reasons %}<p class="small">{{ one }}</p>{% endfor %}</div>
{% if part.differences %}{% set fields = part.differences | selectattr("field") | list %}
<details class="wide"{{ "" if part.tone == "good" else " open" }}>
<summary class="small">each with its offsets</summary><div class="scroll"><table><thead><tr><th>Difference</th>
<th class="n">Source offset</th><th class="n">Target offset</th>
<th class="n">Records</th>{% if fields %}<th>Field</th>{% endif %}
<th>Timestamp</th></tr></thead><tbody>
{% for one in part.differences %}<tr><td>{{ one.kind | replace("_", " ") }}</td><td class="n" data-of="source">{{
one.source or "–" }}</td>
<td class="n" data-of="target">{{ one.target or "–" }}</td><td class="n" data-of="records">{{ one.count | number }}</td>
{% if fields %}<td{% if one.field %} data-of="field"{% endif %}>{{ one.field }}</td>{% endif %}<td>{{ one.at
}}</td></tr>
{% endfor %}</tbody></table></div></details>{% endif %}
{% if part.left_out %}<p class="wide small">{{ part.left_out | number
}} more runs of differences are not shown here.</p>{% endif %}
</div>
{%- endmacro -%}

{%- macro standing(one) -%}
{% if one.differences %}<h2>Differences that nobody accepted</h2><div
class="scroll"><table><thead><tr><th>Difference</th><th>Found</th><th>Id</th></tr></thead><tbody>
{% for row in one.differences %}<tr><td>{{ row.text }}</td><td>{{ row.found_at }}</td><td><code>{{ row.id
}}</code></td></tr>{% endfor %}</tbody></table></div>
{% if one.differences_left_out %}<p class="small">{{ one.differences_left_out | number
}} more are not shown here.</p>{% endif %}{% endif %}
{% if one.stopped %}<h2>Partitions that are no longer watched</h2><dl>{% for row in one.stopped %}<dt>{{ row.topic
}}-{{ row.partition }}</dt><dd>{{ row.reason }}</dd>{% endfor %}</dl>
{% if one.stopped_left_out %}<p class="small">{{ one.stopped_left_out | number
}} more are not shown here.</p>{% endif %}{% endif %}
{% if one.not_watched %}<h2>Topics that are not watched</h2><dl>{% for row in one.not_watched %}<dt>{{ row.topic
}}</dt><dd>{{ row.reason }}</dd>{% endfor %}</dl>
{% if one.not_watched_left_out %}<p class="small">{{ one.not_watched_left_out | number
}} more are not shown here.</p>{% endif %}{% endif %}
<h2>Proven through</h2><p class="small">The offset after the last proven record, in source and target.</p>
{% for topic in one.topics %}<details{{ "" if one.topics | length > 12 else " open" }}><summary><b>{{ topic.topic
}}</b> <span class="small">{{ topic.partitions | number }} partitions{{ "" if topic.records is none else ", " ~
(topic.records | number) ~ " records" }}</span></summary>
{% if topic.rows %}<div class="scroll"><table><thead><tr><th>Partition</th><th class="n">Source</th><th
class="n">Target</th></tr></thead><tbody>
{% for row in topic.rows %}<tr><td>{{ row.partition }}</td><td class="n">{{ row.source | number }}</td><td
class="n">{{ row.target | number }}</td></tr>{% endfor %}</tbody></table></div>{% endif %}
{% if topic.records is none and topic.rows | length < topic.partitions %}<p class="small">{{
(topic.partitions - topic.rows | length) | number }} more partitions are not shown here.</p>{% endif %}
</details>{% else %}<p>Nothing is.</p>{% endfor %}
{% if one.topics_left_out %}<p class="small">{{ one.topics_left_out | number
}} more topics are not shown here.</p>{% endif %}
{% if one.accepted %}<h2>Differences that were accepted</h2><div
class="scroll"><table><thead><tr><th>Difference</th><th>Found</th><th>By</th><th>Reason</th></tr></thead><tbody>
{% for row in one.accepted %}<tr><td>{{ row.text }}</td><td>{{ row.found_at }}</td><td>{{ row.by }}</td><td>{{
row.reason }}</td></tr>{% endfor %}</tbody></table></div>{% endif %}
{%- endmacro -%}

{%- macro proof(one) -%}
{% if one.stage %}<h3>{{ one.stage }}: <span class="word {{ one.tone }}">{{ one.verdict | replace("_", " ")
}}</span></h3>{% endif %}
{% if one.sentence %}<p>{{ one.sentence }}</p>{% endif %}
{% if one.where %}<p class="small">The whole report: <code>{{ one.where }}</code></p>{% endif %}
{% for reason in one.reasons %}<p class="small">{{ reason }}</p>{% endfor %}
{% if one.topics %}<p class="legend"><span><i style="background:var(--good)"></i>proven equal</span><span><i
style="background:var(--bad)"></i>differs</span>
<span><i style="background:var(--warn)"></i>head or tail that is excused, or duplicated</span>
<span><i style="background:var(--bar)"></i>beyond the bounds, not judged</span><span><i style="background:var(--line)">
</i>no record of either side (such as transaction markers), or unknown</span>
<span>upper bar source, lower bar target</span></p>{% endif %}
{% for topic in one.topics %}
<details{{ "" if topic.tone == "good" and one.topics | length > 12 else " open" }}><summary><b>{{ topic.topic }}
</b>{{ " as " ~ topic.target_topic if topic.target_topic else "" }}
<span class="word {{ topic.tone }}">{{ topic.verdict | replace("_", " ") }}
</span> <span class="small">{{ topic.proven }} of {{ topic.partitions | length }} partitions,
{{ topic.records | number }} records{{ ", compared by the last value of each key" if "compact" in topic.mode else ""
}}</span></summary>
{% for reason in topic.reasons if not reason.startswith("partition ") %}<p class="small">{{ reason }}</p>{% endfor %}
{% for part in topic.partitions %}{{ partition(part) }}{% endfor %}
</details>
{% endfor %}
{% if one.kinds %}<dl>{% for kind, meaning in one.kinds %}<dt>{{ kind | replace("_", " ") }}</dt><dd>{{ meaning
}}</dd>{% endfor %}</dl>{% endif %}
{% if one.miss_probability %}<p class="small">What could be missed: {{ one.miss_probability }}.</p>{% endif %}
{%- endmacro -%}
"""

PAGE = (
    MACROS
    + HEAD
    + """
<h1>{{ view.title }}</h1>
<div class="verdict {{ view.tone }}"><strong>{{ view.word }}</strong><span>{{ view.sentence }}</span></div>
{% if view.figures %}<div class="figures">{% for one in view.figures %}<div class="figure {{ one.tone or 'plain'
}}"><span class="small">{{ one.label }}
</span><b>{{ one.value }}</b>
<small>{{ one.note }}</small></div>{% endfor %}</div>{% endif %}
<dl>{% for label, value in view.meta if value %}<dt>{{ label }}</dt><dd>{{ value }}</dd>{% endfor %}</dl>
{% if view.reasons %}<ul>{% for one in view.reasons %}<li>{{ one }}</li>{% endfor %}</ul>{% endif %}

{% set failed = view.checks | rejectattr("passed") | list %}
{% if failed %}<h2>What did not hold</h2><div
class="scroll"><table><thead><tr><th>Check</th><th>Expected</th><th>Found</th></tr></thead><tbody>
{% for one in failed %}<tr><td><span class="word bad">✘</span> {{ one.name | replace("_", " ") }}</td><td>{{
one.expected }}</td><td>{{ one.found }}</td>
</tr>{% endfor %}</tbody></table></div>{% endif %}

{% if view.topics %}<h2>Per topic</h2><div class="scroll"><table class="topics"><thead><tr><th>Topic</th><th
class="n">Lost</th>
{% if view.topics[0].reprocessed is not none %}<th class="n">Re-processed</th><th
class="n">Duplicates on the topic</th>{% endif %}</tr></thead><tbody>
{% for one in view.topics %}<tr><td>{{ one.topic }}</td><td class="n">{{ one.lost | number }}</td>
{% if one.reprocessed is not none %}<td class="n">{{ one.reprocessed | number }}</td><td class="n">{{ one.duplicates |
number }}</td>{% endif %}</tr>
{% endfor %}</tbody></table></div>{% endif %}

{% if view.timeline %}<h2>Timeline</h2>
<p class="small">{{ view.timeline.total }} s in all{{ "" if view.timeline.timed else
"; the report has no times of day, so steps are laid end to end" }}.
{% for one in view.timeline.marks %}{{ one.label | capitalize }} at {{ one.at }} s ({{ "red" if loop.first else "green"
}} line). {% endfor %}</p>
<div class="rows">{% for row in view.timeline.rows %}<div class="row {{ row.level }}">
<span>{{ row.name }}{% if row.failed and view.refusals_wanted %} <span
class="word plain">refused, as it has to be</span>
{%- elif row.failed %} <span class="word bad">✘ stopped here</span>{% endif %}</span>
<svg height="13" aria-hidden="true"><line class="grid" x1="0" x2="100%" y1="12.5" y2="12.5"/>
<rect class="{{ 'fill-bad' if row.failed and not view.refusals_wanted else 'fill-' ~ row.level }}" x="{{ row.x }}%"
y="1" width="{{ row.width }}%" height="11"/>
{% for one in view.timeline.marks %}<line class="mark-{{ loop.index0 % 2 }}" x1="{{ one.x }}%" x2="{{ one.x }}%" y1="0"
y2="13"/>{% endfor %}</svg>
<span>{{ "%.1f" | format(row.seconds) }} s</span></div>{% endfor %}</div>{% endif %}

{% if view.flow %}<h2>Throughput through loss and recovery</h2>
<p class="small">Records a second by the applications' own journals: acknowledged to the producer, processed by
the consumer
{{- "; copied by MirrorMaker 2, by its own commits in the target" if view.flow.series | length > 2 else "" }}.</p>{{
chart(view.flow, "a
second") }}{% endif %}

{% if view.lag %}<h2>Mirror lag through loss and recovery</h2>
<p class="small">Offsets of the source that the mirror has not copied, looked at once a second
{{- "; where the line is broken the source did not answer" if view.lag.series | selectattr("broken") | list else ""
}}.</p>{{ chart(view.lag,
"offsets") }}{% endif %}

{% if view.proofs %}<h2>What is proven</h2>{% for one in view.proofs %}{{ proof(one) }}{% endfor %}{% endif %}

{% if view.standing %}{{ standing(view.standing) }}{% endif %}

{% if view.positions %}<h2>Consumer positions</h2><dl>
{% for label, value in view.positions %}<dt>{{ label }}</dt><dd>{{ value | number }}</dd>{% endfor %}</dl>{% endif %}

{% if view.steps %}<h2>What the ledger says</h2><div
class="scroll"><table><thead><tr><th>Time</th><th>Step</th><th>State</th><th>Region</th><th>Found</th>
</tr></thead><tbody>
{% for one in view.steps %}<tr><td>{{ one.at }}</td><td>{{ one.name | replace("_", " ") }}</td><td>{{ one.state |
replace("_", " ") }}</td>
<td>{{ one.region }}</td>
<td>{% if one.found %}<details><summary>{{ one.found.keys() | join(", ") }}</summary><pre>{{ one.found | pretty
}}</pre></details>{% endif %}</td></tr>
{% endfor %}</tbody></table></div>{% endif %}

{% if view.checks %}<h2>Checks</h2><div
class="scroll"><table><thead><tr><th>Check</th><th>Expected</th><th>Found</th></tr></thead><tbody>
{% for one in view.checks %}<tr><td><span class="word {{ 'good' if one.passed else 'bad' }}">{{ "✔" if one.passed else
"✘" }}
</span> {{ one.name | replace("_", " ") }}</td>
<td>{{ one.expected | number }}</td><td>{{ one.found | number }}</td></tr>{% endfor %}</tbody></table></div>{% endif %}

{% if view.gates %}<h2>Gates</h2><p>{% if view.overrides %}<span class="word bad">Overridden: {{ view.overrides |
join(", ") }}.</span> Every other gate
held when its stage began.
{% else %}None was overridden. A stage begins only when all its gates hold.{% endif %}</p>
{% if view.held %}<dl>{% for one in view.held %}<dt>{{ one.stage | replace("_", " ") }}</dt><dd>{{ one.held | join(", ")
}}</dd>{% endfor %}</dl>{% endif %}
{% endif %}
{% if view.versions %}<h2>Versions</h2><dl>{% for key, value in view.versions.items() %}<dt>{{ key }}</dt><dd>{{ value
}}</dd>{% endfor %}</dl>{% endif %}
{% if view.command %}<h2>Do it again</h2><pre>{{ view.command }}</pre>{% endif %}
<footer>Made by streamsafe.kafka_dr from {{ made_from
}}. Nothing on this page comes from the network, and no secret is in it.</footer>
</main>
</body>
</html>
"""
)
