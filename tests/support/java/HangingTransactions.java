// SPDX-License-Identifier: GPL-3.0-or-later

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;

/**
 * Aborts transactions that hang, as kafka-transactions.sh does: open in a partition, while their producer's coordinator
 * knows of none there (KIP-664). Arguments: bootstrap servers. Prints what it has aborted.
 */
public final class HangingTransactions {
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        try (Admin admin = Admin.create(settings)) {
            Set<String> names = admin.listTopics().names().get();
            List<TopicPartition> partitions = new ArrayList<>();
            for (TopicDescription topic : admin.describeTopics(names).allTopicNames().get().values()) {
                topic.partitions().forEach(at -> partitions.add(new TopicPartition(topic.name(), at.partition())));
            }
            Set<List<Object>> ongoing = ongoing(admin);
            for (var found : admin.describeProducers(partitions).all().get().entrySet()) {
                for (ProducerState producer : found.getValue().activeProducers()) {
                    if (producer.currentTransactionStartOffset().isEmpty()
                        || ongoing.contains(List.of(producer.producerId(), found.getKey()))) {
                        continue;
                    }
                    admin.abortTransaction(new AbortTransactionSpec(found.getKey(), producer.producerId(),
                        (short) producer.producerEpoch(), producer.coordinatorEpoch().orElse(0))).all().get();
                    System.out.println(found.getKey() + " from " + producer.currentTransactionStartOffset().getAsLong());
                }
            }
        }
    }

    private static Set<List<Object>> ongoing(Admin admin) throws Exception {
        Set<List<Object>> found = new HashSet<>();
        Set<String> known = admin.listTransactions().all().get().stream()
            .filter(listing -> listing.state() != TransactionState.EMPTY
                && listing.state() != TransactionState.COMPLETE_COMMIT && listing.state() != TransactionState.COMPLETE_ABORT)
            .map(listing -> listing.transactionalId()).collect(Collectors.toSet());
        for (var transaction : admin.describeTransactions(known).all().get().values()) {
            transaction.topicPartitions().forEach(at -> found.add(List.of(transaction.producerId(), at)));
        }
        return found;
    }
}
