package consumers;

import dev.weir.config.document.Format;
import dev.weir.consul.ConsulSource;
import java.net.URI;

/** A limit that follows a key of Consul, as Consul's HTTP form has it. */
public final class Consul {
    private Consul() {}

    public static void main(String[] args) throws Exception {
        URI address = Documents.at("/v1/kv/" + args[0]);
        Follows.document(
                document -> Documents.put(address, document),
                ConsulSource.builder(Documents.at(""), args[0])
                        .format(Format.YAML)
                        .build());
    }
}
