# SPDX-License-Identifier: GPL-3.0-or-later
"""The page over past drills."""

from __future__ import annotations

from .template import HEAD

PAGE = (
    HEAD
    + """
<h1>Drills</h1>
<div class="verdict {{ 'good' if last.passed else 'bad' }}"><strong>{{ "PASSED" if last.passed else "FAILED" }}</strong>
<span>The last drill, {{ last.scenario }} of {{ last.at }}. {{ passed }} of {{ meant }} drills passed.</span></div>
{% for one in charts %}<h2>{{ one.name }}: {{ one.scenario }}</h2>
<div role="img" aria-label="{{ one.name }} of each drill of {{ one.scenario }}">{{ over_drills(one) | safe }}</div>
<p class="legend"><span>in {{ one.unit }}, the drills of {{ one.first }} to {{ one.end }}</span>
<span>last {{ one.last | number }} {{ one.unit }}</span>
{% if one.failed or one.without %}<span><i style="background:var(--bad)"></i>
{{- ["failed drill" if one.failed, "a stroke where a drill came to no figure" if one.without] | select | join(", ")
}}</span>{% endif %}</p>{% endfor %}
<h2>Every drill, newest first</h2>
<div class="scroll"><table><thead><tr><th>Began</th><th>Scenario</th><th>Verdict</th><th class="n">RTO</th><th
class="n">RPO, records</th>
<th class="n">RPO, s</th><th class="n">Re-processed</th><th>Kafka</th></tr></thead><tbody>
{% for one in rows %}<tr><td>{% if one.link %}<a href="{{ one.link | urlencode }}">{{ one.at }}</a>{% else %}{{ one.at
}}{% endif %}</td>
<td>{{ one.scenario }}{{ ", spoiled on purpose: " ~ one.sabotage if one.sabotage else "" }}</td>
<td><span class="word {{ 'good' if one.passed else 'bad' }}">{{ "passed" if one.passed else "failed" }}</span>
{% if one.failed %} <span class="small">{{ one.failed | join(", ") | replace("_", " ") }}</span>{% endif %}</td>
<td class="n">{{ one.rto_text }}</td><td class="n">{{ one.rpo | number if one.rpo is not none else "–" }}</td>
<td class="n">{{ one.rpo_seconds if one.rpo_seconds is not none else "–" }}</td>
<td class="n">{{ one.reprocessed | number if one.reprocessed is not none else "–" }}</td><td>{{ one.kafka }}</td></tr>{%
endfor %}</tbody></table></div>
{% for path, why in refused %}<p class="small">Left out: {{ path }}: {{ why }}</p>{% endfor %}
<footer>Made by streamsafe.kafka_dr. Nothing on this page comes from the network.</footer>
</main>
</body>
</html>
"""
)
