package consumers;

import dev.weir.apollo.ApolloSource;
import java.net.URI;

/** A limit that follows a namespace of Apollo, by Apollo's client and its documented protocol. */
public final class Apollo {
    private Apollo() {}

    public static void main(String[] args) throws Exception {
        URI address = Documents.at("/configs/weir/default/" + args[0] + ".yaml");
        Follows.document(document -> Documents.put(address, document), ApolloSource.of(args[0] + ".yaml"));
    }
}
