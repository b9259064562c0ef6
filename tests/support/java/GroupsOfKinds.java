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

/** A member of a share group and one of a group of the streams protocol, until standard input ends: {@code BOOTSTRAP TOPIC SHARE_GROUP STREAMS_GROUP DIRECTORY}. */
final class GroupsOfKinds {
    public static void main(String[] words) throws Exception {
        KafkaShareConsumer<byte[], byte[]> share = new KafkaShareConsumer<>(
            Map.of("bootstrap.servers", words[0], "group.id", words[2]), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        share.subscribe(List.of(words[1]));
        Properties settings = new Properties();
        settings.put("bootstrap.servers", words[0]);
        settings.put("application.id", words[3]);
        settings.put("group.protocol", "streams");
        settings.put("state.dir", words[4]);
        settings.put("default.key.serde", Serdes.ByteArraySerde.class);
        settings.put("default.value.serde", Serdes.ByteArraySerde.class);
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(words[1]).foreach((key, value) -> { });
        try (KafkaStreams streams = new KafkaStreams(builder.build(), settings)) {
            streams.start();
            while (System.in.available() == 0) {
                share.poll(Duration.ofMillis(200));
            }
        }
        share.close();
    }
}
