package dev.weir.samples;

import dev.weir.config.source.ConfigSource;
import dev.weir.etcd.EtcdSource;
import dev.weir.testservers.EtcdServer;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A document at a key of an etcd that is started for it; {@code etcd} must be installed. */
final class EtcdStore extends DocumentStore {
    private static final String KEY = "weir/limits.yaml";

    private final EtcdServer server = EtcdServer.started();
    private final Client client = Client.builder().endpoints(server.uri()).build();

    EtcdStore() throws IOException {}

    String uri() {
        return server.uri();
    }

    @Override
    ConfigSource source() {
        return EtcdSource.connect(Client.builder().endpoints(server.uri()), KEY);
    }

    @Override
    void write(String document) throws Exception {
        super.write(document);
        client.getKVClient()
                .put(
                        ByteSequence.from(KEY, StandardCharsets.UTF_8),
                        ByteSequence.from(document, StandardCharsets.UTF_8))
                .get();
    }

    @Override
    String howToChange() {
        return "edit " + file() + ", then: etcdctl --endpoints=" + server.uri() + " put " + KEY + " < " + file();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
