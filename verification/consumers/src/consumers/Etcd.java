package consumers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.etcd.EtcdSource;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;

/** A limit that follows a key of etcd. */
public final class Etcd {
    private Etcd() {}

    public static void main(String[] args) throws Exception {
        String server = System.getProperty("etcd");
        ByteSequence key = ByteSequence.from(args[0], UTF_8);
        try (Client client = Client.builder().endpoints(server).build()) {
            Follows.document(
                    document -> client.getKVClient()
                            .put(key, ByteSequence.from(document, UTF_8))
                            .get(),
                    EtcdSource.connect(Client.builder().endpoints(server), args[0]));
        }
    }
}
