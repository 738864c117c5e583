internal import Wire

extension Sheet {
    /// How pages look: in light and dark, on a phone and on a desk, and without colours.
    var styleSheet: HTTP.Response {
        var response = HTTP.Response(.ok, body: Array(Self.style.utf8))
        for (name, value) in [
            ("Content-Type", "text/css; charset=utf-8"), ("Cache-Control", "max-age=300"),
            ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = try? HTTP.Field.Name(parsing: name) { try? response.fields.append(name, value) }
        }
        return response
    }

    private static let style = """
        :root {
          color-scheme: light dark;
          --ground: #ffffff; --raised: #f5f6f8; --ink: #16191d; --quiet: #50575f; --line: #c3c9d0;
          --accent: #0b4f9c; --accent-ink: #ffffff; --grave: #a3181f; --grave-ink: #ffffff;
          --notice: #e4f2e7; --failure: #fbe6e6;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #15181c; --raised: #1f2429; --ink: #eceff2; --quiet: #aab3bc; --line: #454d56;
            --accent: #8dbdf5; --accent-ink: #0c1a2b; --grave: #f29a9d; --grave-ink: #2b0b0d;
            --notice: #1d3324; --failure: #3d1d20;
          }
        }
        * { box-sizing: border-box; }
        html { font: 100%/1.5 system-ui, sans-serif; background: var(--ground); color: var(--ink); }
        body { margin: 0 auto; padding: 0 1rem 2rem; max-width: 56rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 2rem 0 1rem; }
        h2 { font-size: 1.15rem; line-height: 1.3; margin: 0; }
        h3 { font-size: 1rem; line-height: 1.3; margin: 0; font-weight: 600; }
        p { margin: 0.75rem 0; }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .unseen, .skip:not(:focus) {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
        }
        .skip:focus { position: absolute; padding: 0.5rem 1rem; background: var(--ground); }
        header {
          display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center;
          padding: 1rem 0; border-bottom: 1px solid var(--line);
        }
        header nav { flex: 1 0 100%; order: 1; }
        header ul, footer ul {
          list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0; padding: 0;
        }
        header ul a, footer ul a { display: inline-block; padding: 0.5rem 0; }
        a[aria-current] { color: var(--ink); font-weight: 600; text-decoration-thickness: 3px; }
        .brand { font-size: 1.15rem; font-weight: 700; margin: 0; }
        .brand a { color: inherit; text-decoration: none; }
        .person { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; margin: 0 0 0 auto; }
        footer { margin-top: 3rem; border-top: 1px solid var(--line); color: var(--quiet); }
        .lead { font-size: 1.05rem; max-width: 44rem; }
        .note, .details, .none { color: var(--quiet); max-width: 44rem; }
        .details, .none { font-size: 0.95rem; margin: 0.15rem 0; }
        .notice, .failure {
          padding: 0.75rem 1rem; border: 1px solid var(--line); border-left-width: 0.4rem; border-radius: 0.3rem;
        }
        .notice { background: var(--notice); border-left-color: #2e7d45; }
        .failure { background: var(--failure); border-left-color: #b3262d; }
        .card { border: 1px solid var(--line); border-radius: 0.5rem; padding: 1rem; margin: 1rem 0; }
        .tag {
          display: inline-block; margin-inline-start: 0.5rem; padding: 0 0.5rem; border: 1px solid currentColor;
          border-radius: 1rem; font-size: 0.8rem; font-weight: 400;
        }
        .tree, .tree ul { list-style: none; margin: 0; padding: 0; }
        .tree > li { margin: 1rem 0; }
        .node {
          display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between;
          padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--raised);
        }
        .node form { margin: 0; }
        .tree ul { margin-inline-start: 1.25rem; }
        .tree ul > li {
          position: relative; padding: 0.6rem 0 0 1.25rem; border-inline-start: 2px solid var(--line);
        }
        .tree ul > li:last-child { border-inline-start-color: transparent; }
        .tree ul > li::before {
          content: ""; position: absolute; inset-inline-start: -2px; top: 0; width: 1.25rem; height: 2.1rem;
          border-inline-start: 2px solid var(--line); border-bottom: 2px solid var(--line);
        }
        .tree ul .node { background: var(--ground); }
        .tree .none { margin-inline-start: 1.25rem; padding: 0.5rem 0 0 1.25rem; }
        button, .action {
          display: inline-block; min-height: 2.75rem; padding: 0.55rem 1.1rem; font: inherit; line-height: 1.5;
          border: 1px solid var(--accent); border-radius: 0.4rem; background: transparent; color: var(--accent);
          text-decoration: none; cursor: pointer;
        }
        .entry button { background: var(--accent); color: var(--accent-ink); }
        .entry button.grave { background: var(--grave); border-color: var(--grave); color: var(--grave-ink); }
        button:hover, .action:hover { text-decoration: underline; }
        .choice { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: center; }
        .field { max-width: 24rem; }
        .field label { display: block; font-weight: 600; margin-bottom: 0.25rem; }
        .field input {
          width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit;
          background: var(--ground); border: 1px solid var(--quiet); border-radius: 0.4rem;
        }
        .search { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: end; }
        .search > * { margin-bottom: 0.75rem; }
        .search > a { padding: 0.55rem 0; }
        table { width: 100%; border-collapse: collapse; }
        th, td {
          text-align: start; vertical-align: top; padding: 0.6rem 0.75rem 0.6rem 0;
          border-bottom: 1px solid var(--line);
        }
        td .action { min-height: 2.25rem; padding: 0.2rem 0.7rem; margin: 0 0.4rem 0.4rem 0; }
        dl { margin: 0.75rem 0; display: grid; grid-template-columns: minmax(8rem, auto) 1fr; gap: 0.25rem 1rem; }
        dt { color: var(--quiet); }
        dd { margin: 0; }
        @media (max-width: 34rem) {
          dl { grid-template-columns: 1fr; gap: 0; }
          dd { margin-bottom: 0.5rem; }
          .tree ul { margin-inline-start: 0.5rem; }
        }
        @media (max-width: 44rem) {
          thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          table, tbody, tr, td { display: block; }
          tr { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
          td { border: 0; padding: 0.15rem 0; }
          td:empty { display: none; }
          td::before { content: attr(data-heading) ": "; color: var(--quiet); }
          td .action { margin-top: 0.4rem; }
        }
        @media (prefers-contrast: more) { :root { --line: currentColor; --quiet: var(--ink); } }
        @media print { .action, form, footer, nav, .skip { display: none; } }

        """
}
