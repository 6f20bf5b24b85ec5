package dev.weir.console;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openqa.selenium.Keys;

/** A browser at the console of a shop, for all tests of a class; each loads the page anew. Not thread-safe. */
final class ShopPage implements AutoCloseable {
    /** Whether all charts in the detail are painted; what is on a canvas is not in the document. */
    static final String PAINTED = """
            [...document.querySelectorAll('#detail .plot')].filter((plot) => plot.offsetWidth > 0).every((plot) => {
              const canvas = plot.querySelector('canvas');
              if (!canvas) return false;
              const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
              let painted = 0;
              for (let at = 3; at < pixels.length; at += 4) painted += pixels[at] > 0 ? 1 : 0;
              return painted > 1000;
            })""";

    final Browser browser = new Browser();
    final Shop shop = Shop.small();
    Path folder;
    Path token;
    private Console console;

    void start(Path given) {
        folder = given;
        token = given.resolve("write");
        console = Console.builder(shop.limits)
                .name("shop")
                .writeToken("ann", token)
                .start();
    }

    /** Opens the page of a console at a limit (empty = at all of them), and signs in where it asks for that. */
    void open(URI page, Path itsToken, String limit) throws IOException {
        browser.open(
                limit.isEmpty() ? page : page.resolve("#limit=" + URLEncoder.encode(limit, StandardCharsets.UTF_8)));
        browser.await("noted.frames > 0 || document.querySelector('#login').open");
        if (browser.is("document.querySelector('#login').open")) {
            browser.find("#login input").sendKeys(Files.readString(itsToken).strip() + Keys.ENTER);
        }
        browser.await("document.querySelectorAll('#list .row:not([hidden])').length > 0");
    }

    void open(String limit) throws IOException {
        open(console.uri(), token, limit);
    }

    @Override
    public void close() {
        browser.close();
        console.close();
        shop.close();
    }
}
