// SPDX-License-Identifier: GPL-3.0-or-later
package org.apache.kafka.connect.mirror;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;

/**
 * Asks MirrorMaker 2's own classes about names of topics.
 *
 * <p>Standard input: lines of {@code policy, source, target, separator, whether internal topics have the separator, topics, topics.exclude, name},
 * separated by tabs, {@code -} for no exclusion of one's own. Standard output: for each
 * {@code isInternalTopic, isHeartbeatsTopic, shouldReplicateTopic (filter), shouldReplicateTopic (connector), isCycle, remote name, topicSource, upstreamTopic}.
 */
final class NamesOracle {
    public static void main(String[] words) throws Exception {
        Map<String, MirrorSourceConnector> known = new HashMap<>();
        Map<String, ReplicationPolicy> policies = new HashMap<>();
        Map<String, DefaultTopicFilter> filters = new HashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] one = line.split("\t", -1);
            String key = line.substring(0, line.lastIndexOf('\t'));
            if (!known.containsKey(key)) {
                Map<String, Object> settings = new HashMap<>();
                settings.put("source.cluster.alias", one[1]);
                settings.put("replication.policy.separator", one[3]);
                settings.put("replication.policy.internal.topic.separator.enabled", one[4]);
                settings.put("topics", one[5]);
                if (!one[6].equals("-")) {
                    settings.put("topics.exclude", one[6]);
                }
                DefaultReplicationPolicy policy = one[0].equals("identity") ? new IdentityReplicationPolicy() : new DefaultReplicationPolicy();
                policy.configure(settings);
                DefaultTopicFilter filter = new DefaultTopicFilter();
                filter.configure(settings);
                // As MirrorMaker 2 does by default, heartbeats are copied (heartbeats.replication.enabled).
                MirrorSourceConnector made = new MirrorSourceConnector(
                    new SourceAndTarget(one[1], one[2]), policy, filter, new DefaultConfigPropertyFilter(), true);
                known.put(key, made);
                policies.put(key, policy);
                filters.put(key, filter);
            }
            String name = one[7];
            MirrorSourceConnector connector = known.get(key);
            ReplicationPolicy policy = policies.get(key);
            out.append(policy.isInternalTopic(name)).append('\t').append(policy.isHeartbeatsTopic(name)).append('\t')
                .append(filters.get(key).shouldReplicateTopic(name)).append('\t').append(connector.shouldReplicateTopic(name)).append('\t')
                .append(connector.isCycle(name)).append('\t').append(connector.formatRemoteTopic(name)).append('\t')
                .append(policy.topicSource(name)).append('\t').append(policy.upstreamTopic(name)).append('\n');
        }
        System.out.print(out);
    }
}
