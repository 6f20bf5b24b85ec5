package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.http.ClientAddress.Header;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientAddressTest {
    private static final String PEER = "192.0.2.1";
    private static final ClientAddress ONE = ClientAddress.behind(1);
    private static final ClientAddress RFC7239 = ONE.reading(Header.FORWARDED);

    private static String key(ClientAddress addresses, String peer, String... lines) {
        return addresses.key(peer, name -> List.of(lines));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            203.0.113.9                        | 203.0.113.9
            203.0.113.9:4711                   | 203.0.113.9
            "203.0.113.9"                      | 203.0.113.9
            1.1.1.1, 203.0.113.9               | 203.0.113.9
            1.1.1.1,203.0.113.9 , ,            | 203.0.113.9
            2001:db8:1:2:3:4:5:6               | 2001:db8:1:2::/64
            2001:db8:1:2:ffff::1               | 2001:db8:1:2::/64
            2001:DB8::1                        | 2001:db8:0:0::/64
            [2001:db8:1:2::1]:4711             | 2001:db8:1:2::/64
            "[2001:db8:1:2::1]"                | 2001:db8:1:2::/64
            fe80::1%eth0                       | fe80:0:0:0::/64
            ::ffff:203.0.113.9                 | 203.0.113.9
            ::ffff:cb00:7109                   | 203.0.113.9
            [::ffff:203.0.113.9]:80            | 203.0.113.9
            ::                                 | 0:0:0:0::/64
            1:2:3:4:5:6:7::                    | 1:2:3:4::/64
            unknown                            | 192.0.2.1
            _hidden                            | 192.0.2.1
            localhost                          | 192.0.2.1
            example.com                        | 192.0.2.1
            010.1.1.1                          | 192.0.2.1
            1.2.3                              | 192.0.2.1
            1.2.3.256                          | 192.0.2.1
            1.2.3.4.5                          | 192.0.2.1
            1.2.3.4:                           | 192.0.2.1
            16909060                           | 192.0.2.1
            1:2:3:4:5:6:7                      | 192.0.2.1
            1:2:3:4:5:6:7:8:9                  | 192.0.2.1
            1::2::3                            | 192.0.2.1
            1:2:3:4:5:6:7:8::                  | 192.0.2.1
            :1:2:3:4:5:6:7                     | 192.0.2.1
            12345::                            | 192.0.2.1
            [2001:db8::1                       | 192.0.2.1
            [2001:db8::1]x                     | 192.0.2.1
            """)
    void H3_theLastHopOfXForwardedForIsTheClientBehindOneProxy(String header, String key) {
        assertEquals(key, key(ONE, PEER, header));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            for=203.0.113.9                                    | 203.0.113.9
            For="203.0.113.9:4711"                             | 203.0.113.9
            for="[2001:db8:1:2::17]:4711"                      | 2001:db8:1:2::/64
            for=1.1.1.1, for=203.0.113.9;proto=https;by=10.0.0.1 | 203.0.113.9
            proto=https ; host="a,b;for=1.1.1.1" ; for=203.0.113.9 | 203.0.113.9
            for=" , for=203.0.113.9                            | 203.0.113.9
            for="_a:_b, for=203.0.113.9                        | 203.0.113.9
            for=unknown                                        | 192.0.2.1
            for=_hidden                                        | 192.0.2.1
            for="_SEVKISEK"                                    | 192.0.2.1
            proto=https                                        | 192.0.2.1
            for=1.1.1.1;for=203.0.113.9                        | 192.0.2.1
            for=                                               | 192.0.2.1
            forward=1.1.1.1                                    | 192.0.2.1
            """)
    void H3_theLastHopOfForwardedIsTheClientBehindOneProxy(String header, String key) {
        assertEquals(key, key(RFC7239, PEER, header));
    }

    @Test
    void H3_withoutProxiesHeadersCountForNothing() {
        assertEquals(PEER, key(ClientAddress.ofPeer(), PEER, "203.0.113.9"));
        assertEquals(PEER, key(ClientAddress.behind(0).reading(Header.FORWARDED), PEER, "for=203.0.113.9"));
    }

    @Test
    void onlyTheHeaderThatTheProxiesWriteIsRead() {
        String key = ONE.key(PEER, name -> name.equals("Forwarded") ? List.of("for=1.1.1.1") : null);
        assertEquals(PEER, key);
    }

    @Test
    void H3_severalLinesAreOneListFromTheLastLineOn() {
        assertEquals("203.0.113.9", key(ONE, PEER, "1.1.1.1", "2.2.2.2, 203.0.113.9"));
        assertEquals("2.2.2.2", key(ClientAddress.behind(3), PEER, "1.1.1.1, 2.2.2.2", "", "10.0.0.2", "10.0.0.1"));
        assertEquals("2.2.2.2", ONE.key(PEER, name -> Arrays.asList("2.2.2.2", null)));
    }

    @Test
    void withFewerHopsThanProxiesThePeerIsTheClient() {
        assertEquals(PEER, key(ClientAddress.behind(2), PEER, "203.0.113.9"));
        assertEquals(PEER, key(ONE, PEER));
        assertEquals(PEER, key(ONE, PEER, "", " , "));
        assertEquals(PEER, ONE.key(PEER, name -> null));
    }

    @Test
    void aHopWithoutAddressSharesTheLimitOfTheProxyThatReportsIt() {
        assertEquals("10.0.0.1", key(ClientAddress.behind(2), PEER, "1.1.1.1, unknown, 10.0.0.1"));
        assertEquals(
                "10.0.0.1", key(ClientAddress.behind("192.0.2.0/24", "10.0.0.0/8"), PEER, "1.1.1.1, _x, 10.0.0.1"));
    }

    @Test
    void H3_theClientIsTheLastHopThatIsInNoTrustedNetwork() {
        ClientAddress addresses = ClientAddress.behind("192.0.2.0/24", "10.0.0.0/9", "2001:db8::/33", "198.51.100.7");

        assertEquals("203.0.113.9", key(addresses, PEER, "1.1.1.1, 203.0.113.9, 10.127.255.255, 198.51.100.7"));
        assertEquals("10.128.0.0", key(addresses, PEER, "1.1.1.1, 10.128.0.0, 10.0.0.0"));
        assertEquals("2001:db8:8000:0::/64", key(addresses, PEER, "1.1.1.1, 2001:db8:8000::1, 2001:db8:7fff::1"));
        assertEquals("198.51.100.8", key(addresses, "198.51.100.8", "1.1.1.1"));
        assertEquals("10.0.0.2", key(addresses, PEER, "10.0.0.2, 10.0.0.1"));
        assertEquals("203.0.113.9", key(addresses, "::ffff:192.0.2.1", "203.0.113.9"));
    }

    @Test
    void aPeerWithoutAddressIsUnknown() {
        assertEquals("unknown", key(ClientAddress.ofPeer(), ""));
        assertEquals("unknown", key(ClientAddress.ofPeer(), "/var/run/socket"));
        assertEquals("unknown", ClientAddress.ofPeer().key(null, name -> null));
        assertEquals("unknown", key(ClientAddress.behind("10.0.0.0/8"), "\u0000", "1.1.1.1"));
        assertEquals("203.0.113.9", key(ONE, "unix:", "203.0.113.9"));
        assertEquals("2001:db8:0:0::/64", ClientAddress.ofPeer().key("2001:db8::7", name -> null));
    }

    @Test
    void wrongArgumentsAreRefused() {
        for (String network :
                List.of("", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "2001:db8::/129", "example.com", "/8")) {
            assertThrows(IllegalArgumentException.class, () -> ClientAddress.behind(network), network);
        }
        assertThrows(IllegalArgumentException.class, () -> ClientAddress.behind());
        assertThrows(IllegalArgumentException.class, () -> ClientAddress.behind(-1));
    }
}
