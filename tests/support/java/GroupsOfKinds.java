// SPDX-License-Identifier: GPL-3.0-or-later
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/**
 * Until standard input ends, a member of a share group, one of a group of the streams protocol, and an application of the
 * classic protocol that counts records by value into the store {@code counts}, through the repartition topic of {@code values}: {@code BOOTSTRAP TOPIC SHARE_GROUP
 * STREAMS_GROUP COUNTING_APPLICATION DIRECTORY}.
 */
final class GroupsOfKinds {
    public static void main(String[] words) throws Exception {
        KafkaShareConsumer<byte[], byte[]> share = new KafkaShareConsumer<>(
            Map.of("bootstrap.servers", words[0], "group.id", words[2]), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        share.subscribe(List.of(words[1]));
        StreamsBuilder reading = new StreamsBuilder();
        reading.stream(words[1]).foreach((key, value) -> { });
        StreamsBuilder counting = new StreamsBuilder();
        counting.stream(words[1]).selectKey((key, value) -> value).groupByKey(Grouped.as("values"))
            .count(Materialized.as(Stores.inMemoryKeyValueStore("counts")));
        try (KafkaStreams streams = new KafkaStreams(reading.build(), settings(words, words[3], "streams"));
                KafkaStreams counter = new KafkaStreams(counting.build(), settings(words, words[4], "classic"))) {
            streams.start();
            counter.start();
            while (System.in.available() == 0) {
                share.poll(Duration.ofMillis(200));
            }
        }
        share.close();
    }

    private static Properties settings(String[] words, String application, String protocol) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", words[0]);
        settings.put("application.id", application);
        settings.put("group.protocol", protocol);
        settings.put("state.dir", words[5]);
        settings.put("commit.interval.ms", "200");
        settings.put("auto.offset.reset", "earliest");
        settings.put("default.key.serde", Serdes.ByteArraySerde.class);
        settings.put("default.value.serde", Serdes.ByteArraySerde.class);
        return settings;
    }
}
