package dev.weir.etcd;

import dev.weir.config.source.ConfigSource;
import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Propagation;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** One row of {@code ./weir bench config}. */
final class EtcdPropagation {
    private static final String KEY = "limits.yaml";

    private EtcdPropagation() {}

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        try (EtcdServer server = EtcdServer.started();
                Client client = Client.builder().endpoints(server.uri()).build()) {
            Propagation.measure("etcd", new Propagation.Server() {
                @Override
                public void write(String document) throws Exception {
                    client.getKVClient().put(bytes(KEY), bytes(document)).get(30, TimeUnit.SECONDS);
                }

                @Override
                public void watch(Runnable changed) {
                    client.getWatchClient().watch(bytes(KEY), response -> changed.run());
                }

                @Override
                public ConfigSource source() {
                    return EtcdSource.connect(Client.builder().endpoints(server.uri()), KEY);
                }
            });
        }
        System.exit(0);
    }
}
