// SPDX-License-Identifier: GPL-3.0-or-later
package org.apache.kafka.connect.mirror;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/**
 * Asks MirrorMaker 2's own classes about names of groups.
 *
 * <p>Arguments: {@code groups} and {@code groups.exclude}. Standard input: a name in base64 a line. Standard output: for each, whether the filter
 * lets it through, and whether a task that is told of it alone reads this one name.
 */
final class GroupsOracle {
    public static void main(String[] words) throws Exception {
        DefaultGroupFilter filter = new DefaultGroupFilter();
        filter.configure(Map.of("groups", words[0], "groups.exclude", words[1]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String name = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
            out.append(filter.shouldReplicateGroup(name)).append('\t').append(isRead(name)).append('\n');
        }
        System.out.print(out);
    }

    private static boolean isRead(String name) {
        Map<String, String> settings = new HashMap<>();
        settings.put("name", "oracle");
        settings.put("connector.class", "oracle");
        for (String side : new String[] {"source", "target"}) {
            settings.put(side + ".cluster.alias", side);
            settings.put(side + ".cluster.bootstrap.servers", "localhost:9092");
        }
        settings.put(MirrorCheckpointConfig.TASK_CONSUMER_GROUPS, name);
        try {
            return new MirrorCheckpointTaskConfig(settings).taskConsumerGroups().equals(java.util.Set.of(name));
        } catch (org.apache.kafka.common.config.ConfigException refused) {
            return false;
        }
    }
}
